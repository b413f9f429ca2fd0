import { expect } from 'chai';
import { parseDocument } from '../../../workers/knowledge/parser/parse-document.ts';

const told = async (kind: 'markdown' | 'text', paragraphs: readonly string[]) => {
  const result = await parseDocument({ kind, bytes: Buffer.from(paragraphs.join('\n\n')) }, () => {});
  return 'text' in result ? result.text.blocks.map(block => 'text' in block && block.text) : [];
};

describe('a text in which each line is a paragraph', () => {
  it('has its sentences whole, and its titles, items and articles apart', async () => {
    const lines = [
      'RESOLUÇÃO Nº 8/2027 QUE APROVA O REGULAMENTO GERAL DOS CURSOS DE GRADUAÇÃO DA',
      'UNIVERSIDADE',
      'Da matrícula',
      'Art. 1º O trancamento é pedido pelo estudante no portal do aluno até o dia ',
      '10 de março, nos termos do calendário aprovado pelo Conselho e dos incisos do',
      'art. 5º desta Resolução, ouvida a Coordenação do Curso e a Pró-Reitoria de',
      'Graduação, sem prejuízo dos pedi-',
      'dos já feitos, com os documentos:',
      'I – histórico escolar atualizado, emitido pelo sistema acadêmico da nossa',
      'Universidade;',
      'Art. 2º A taxa é de R$ 120,00',
      'a partir de maio.',
    ];
    for (const kind of ['markdown', 'text'] as const)
      expect(await told(kind, lines)).to.deep.equal([
        ...lines.slice(0, 3),
        'Art. 1º O trancamento é pedido pelo estudante no portal do aluno até o dia 10 de março, nos termos do calendário aprovado pelo Conselho e dos incisos do art. 5º desta Resolução, ouvida a Coordenação do Curso e a Pró-Reitoria de Graduação, sem prejuízo dos pedidos já feitos, com os documentos:',
        'I – histórico escolar atualizado, emitido pelo sistema acadêmico da nossa Universidade;',
        // A line that ends before its room does has ended for another reason.
        ...lines.slice(-2),
      ]);
  });

  it('is no other one: paragraphs of several lines, short lists and code stay as they are', async () => {
    const paragraph = 'O prazo de matrícula de que trata o edital é o que\nconsta do calendário da reitoria';
    for (const lines of [
      ['Documentos:', 'histórico escolar', 'diploma'],
      [paragraph, 'segue o texto do edital, com o prazo que o calendário da reitoria tem', paragraph],
    ])
      expect(await told('text', lines)).to.deep.equal(lines);
    const code = '```\nO prazo de matrícula de que trata o edital é o que\n\nconsta do calendário\n```';
    expect(await told('markdown', [code])).to.deep.equal([code]);
  });
});
