import { expect } from 'chai';
import { findAnswer } from '../../text/answers/find-answer.ts';
import { statementsOf } from '../../text/answers/statements.ts';

const answer = (question: string, passages: readonly string[], earlier: readonly string[] = []) =>
  findAnswer(
    question,
    passages.map(text => ({ text })),
    earlier,
  ) ?? '';
const textsOf = (passage: string) => statementsOf([passage]).map(({ text }) => text);

const courses = [
  'Direito;Noite;R$ 1.540,50;4',
  'Pedagogia;Noite;R$ 690,00;5',
  'Psicologia;Manhã;R$ 1.890,00;5',
];
const records = courses.map(row => {
  const [course, shift, price, grade] = row.split(';');
  return `## cursos\n\nCurso: ${course}\nTurno: ${shift}\nMensalidade: ${price}\nNota MEC: ${grade}`;
});
const library = `# Biblioteca
A biblioteca funciona de segunda a sexta, das 7h30 às 22h. Aos sábados abre das 8h às 14h. Alunos podem retirar até 5 livros.`;

describe('offline model: statements', () => {
  it('are the records, the rows with their columns, the items, and the sentences', () => {
    expect(textsOf('Curso: Direito\nTurno: Noite\n\nAs aulas são\nno campus. Não há exceção.')).to.deep.equal(
      ['Curso: Direito\nTurno: Noite', 'As aulas são no campus.', 'Não há exceção.'],
    );
    expect(textsOf('| Curso | Turno |\n|---|:-:|\n| Direito | Manhã |\n| Letras | |')).to.deep.equal([
      'Curso: Direito; Turno: Manhã',
      'Curso: Letras',
    ]);
    expect(textsOf('Traga:\n- RG\n- CPF')).to.deep.equal(['Traga:\n- RG\n- CPF', 'RG', 'CPF']);
    expect(textsOf('P: Tem desconto?\nR: Não.')).to.deep.equal(['Não.']);
  });
});

describe('offline model: the statement that answers', () => {
  it('is the record of what is asked about, or those that share it', () => {
    expect(answer('quanto custa direito?', records)).to.include('R$ 1.540,50').and.not.include('690');
    expect(answer('mensalidade de pedagogia', records)).to.include('R$ 690,00').and.not.include('1.540');
    expect(answer('cursos com nota 5?', records))
      .to.match(/Pedagogia[^]*Psicologia/)
      .and.not.match(/Direito/);
    expect(answer('em que turno é psicologia?', records)).to.include('Manhã').and.not.include('Noite');
    expect(answer('quanto custa medicina?', records)).to.equal('');
    expect(answer('¿Cuánto cuesta Derecho?', records)).to.include('R$ 1.540,50');
  });

  it('is that of what is asked, whoever says beside it who they are, or tells a story before', () => {
    const story = 'Sou mãe do Pedro, a gente mora longe daí e eu trabalho o dia inteiro. '.repeat(4);
    for (const before of [
      'meu CPF é [CPF_1], ',
      'Me chamo Ana Paula e meu telefone é (11) 98765-4321, ',
      story,
    ])
      expect(answer(`${before}quanto custa direito?`, records))
        .to.include('R$ 1.540,50')
        .and.not.include('690');
  });

  it('is what stands under a heading that is the question', () => {
    const call = [
      '## Edital > Relatório\n\nQuem pode ser dispensado do relatório é o monitor em licença.',
      '## Edital > Quem pode ser monitor?\n\nEstudantes do terceiro período.',
    ];
    expect(answer('quem pode ser monitor?', call)).to.equal('Estudantes do terceiro período.');
  });

  it('is a list with what introduces it, and the sentence before a pronoun', () => {
    const papers = ['# Matrícula\nPara a matrícula, traga os documentos:\n- RG e CPF\n- uma foto'];
    expect(answer('Quais documentos preciso levar?', papers)).to.match(/RG e CPF\n- uma foto$/);
    const leader = ['O curso é à noite. A coordenadora é Ana Prado. Ela atende às terças no Bloco B.'];
    expect(answer('Em que dia a coordenadora atende?', leader)).to.match(/Ana Prado.*terças/);
  });

  it('has the figure that is asked for, of the thing that is asked about', () => {
    const card = ['# Carteirinha\nA segunda via custa R$ 30,00. O crachá é azul. Ele custa R$ 9,00.'];
    expect(answer('Quanto custa a segunda via do boleto?', [...card, 'O boleto chega por e-mail.'])).to.equal(
      '',
    );
    expect(answer('Quanto custa a segunda via da carteirinha?', card)).to.include('R$ 30,00');
    expect(answer('Quanto custa o crachá?', card)).to.include('R$ 9,00').and.not.include('R$ 30,00');
    expect(answer('Quantas faltas posso ter?', ['Quem falta a uma prova tem 3 dias.'])).to.equal('');
    expect(
      answer('qual o email da ouvidoria?', ['A ouvidoria responde. O e-mail da ouvidoria é [EMAIL_1].']),
    ).to.match(/EMAIL_1/);
  });

  it('may say a thing of an open question in other words, but not where a figure or a permission is asked for', () => {
    const form = ['O compromisso do estágio é assinado pela coordenação do curso em 10 dias.'];
    expect(answer('Quem assina o documento de compromisso do estágio?', form)).to.equal(form[0]);
    for (const question of [
      'Em quanto tempo assinam o documento de compromisso do estágio?',
      'Posso assinar o documento de compromisso do estágio?',
      'Qual o prazo máximo do documento de compromisso do estágio?',
    ])
      expect(answer(question, form), question).to.equal('');
  });

  it('follows the question before where one leans on it, and answers two of one message', () => {
    expect(answer('e aos sábados?', [library], ['Qual o horário da biblioteca?'])).to.match(/^Aos sábados/);
    expect(answer('quantos livros posso pegar? e aos sábados, abre?', [library])).to.match(
      /sábados[^]*livros|livros[^]*sábados/,
    );
  });

  it('survives a misspelling, and is none where nothing is known', () => {
    expect(answer('que horas abre a bibloteca aos sabados', [library])).to.include('8h às 14h');
    for (const question of ['Qual é a capital da Austrália?', 'tem wifi?', '???', ''])
      expect(answer(question, [library]), question).to.equal('');
  });

  it('has at most 400 characters, and leaves out first the sentence before', () => {
    const [first, then] = ['O reitor é eleito ', 'Ele é o reitor que preside o conselho '].map(
      text => `${text}${'e fala '.repeat(30)}hoje.`,
    );
    expect(answer('Que conselho o reitor preside?', [`${first} ${then}`])).to.equal(then);
    expect(answer('Como é a biblioteca?', [`A biblioteca ${'x'.repeat(9_000)}.`])).to.have.length.below(401);
  });

  it('stands in the first 200,000 characters of the passages, and is no part of a sentence', () => {
    const before = 'Uma frase. '.repeat(18_000);
    expect(answer('Como é a biblioteca?', [before, library])).to.include('biblioteca');
    for (const after of [
      `A biblioteca ${'é grande e '.repeat(200)}bonita.`,
      `${'Outra. '.repeat(300)}${library}`,
    ])
      expect(answer('Como é a biblioteca?', [before, after])).to.equal('');
  });

  it('stands in a passage that fits the question, and fits it better than the others', () => {
    const quote = (...relevances: number[]) =>
      findAnswer(
        'Quem assina o contrato?',
        relevances.map((relevance, at) => ({
          text: `O contrato da sala ${at + 1} fica com Ana.`,
          relevance,
        })),
        [],
      );
    expect(quote(2, 0.5)).to.equal('O contrato da sala 1 fica com Ana.');
    expect(quote(0.4)).to.equal(undefined);
    expect(quote(1.5, 1.5)).to.equal(undefined);
  });

  it('is cut at a blank, and takes time in proportion to the text', () => {
    const size = 40_000;
    const long = [`A biblioteca ${'abre cedo e fecha tarde e '.repeat(400)}é grande.`];
    expect(answer('Como é a biblioteca?', long)).to.have.lengthOf.within(100, 400);
    // biome-ignore format: a list
    const hostile = [
      '.', '. ', '*', '> ', '|a', 'a', '?*', '- a\n', 'Ela. ', 'a:\n- b\n', '# a > b\n', 'A: b\n',
    ];
    const texts = hostile.map(part => part.repeat(size / part.length));
    const many = Array.from({ length: size / 8 }, (_, at) => `b${at.toString(36)}lioteca`).join(' ');
    const started = process.cpuUsage();
    for (const text of [...texts, many, `# ${many}\n${'Uma frase. '.repeat(size / 11)}`])
      answer('Quando abre a bibliotca?', [text]);
    // Quadratic work takes many seconds, linear work milliseconds.
    expect(process.cpuUsage(started).user / 1000).to.be.below(3000);
  });
});
