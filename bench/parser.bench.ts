import { lexer } from 'marked';
import { parseWpp } from '../workers/domain/wpp-parsed/wpp-parsed.ts';

/*
 * Throughput of the parser compared with the lexer of `marked` on the same text in the same run, and the time of the
 * worst hostile text of 100 KB. Prints figures without limits.
 */

const ROUNDS = 15;
const HOSTILE_LENGTH = 100_000;

const ANSWERS = [
  `Olá, **Maria**! Que bom falar com você. 😊\n\nAs inscrições para o *vestibular de verão* vão até **15/12/2025** e a prova ` +
    `acontece no dia 20/12, às 14h, no campus central. O valor da taxa é de R$ 65,00 e pode ser pago por boleto ou Pix.\n\n` +
    'Posso ajudar em mais alguma coisa?',
  `## Documentos para a matrícula\n\nVocê vai precisar de:\n\n- **RG** e **CPF** (cópia simples)\n- Histórico escolar do ` +
    `ensino médio\n  - original e cópia\n  - se for do exterior, com *tradução juramentada*\n- Comprovante de residência\n\n` +
    '1. Acesse o [Portal do Aluno](https://portal.exemplo.edu.br/matricula?origem=chat)\n2. Envie os arquivos em PDF\n' +
    '3. Aguarde a confirmação por e-mail: secretaria_geral@exemplo.edu.br\n',
  `### Mensalidades\n\n| Curso | Turno | Mensalidade |\n|---|:---:|---:|\n| Direito | Noite | R$ 1.234,56 |\n| Enfermagem | ` +
    `Manhã | R$ 1.870,00 |\n| Análise de Sistemas | EAD | R$ 299,90 |\n\n> Valores com desconto de pontualidade até o dia 5.\n\n` +
    'Mais detalhes em https://www.exemplo.edu.br/cursos/(presencial), na opção "Bolsas".',
  `Segue a segunda via:\n\n**Linha digitável:** 00190.00009 01149.718601 68524.522114 6 75860000102656\n\nOu por Pix:\n\n` +
    '```\n00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA' +
    '62070503***63041D3D\n```\n\nO vencimento é em 10/11/2025. Depois do pagamento, a baixa leva até **2 dias úteis**.',
  `Conheça a nossa estrutura:\n\n![Biblioteca central](https://cdn.exemplo.edu.br/fotos/biblioteca.jpg)\n\nA biblioteca tem ` +
    `mais de 120 mil volumes, salas de estudo em grupo e funciona de segunda a sexta, das 7h30 às 22h. Ouça também o ` +
    '[recado da coordenação](https://cdn.exemplo.edu.br/audio/recado.mp3).\n\n---\n\nFale conosco: (11) 99999-1234 ou ' +
    '[secretaria](mailto:secretaria@exemplo.edu.br).',
  `Para recuperar a senha do *Ambiente Virtual*, siga os passos:\n\n1. Abra \`ava.exemplo.edu.br\` e clique em **Esqueci minha ` +
    `senha**;\n2. Informe o seu *RA* (ex.: \`2025_001_42\`) e o CPF;\n3. Abra o e-mail e confirme.\n\nSe o erro \`AVA-403\` ` +
    'continuar, escreva para o suporte com o nome completo, o curso e o horário em que tentou entrar. O atendimento responde ' +
    'em até um dia útil, de segunda a sexta-feira, exceto feriados nacionais e recessos previstos no calendário acadêmico.',
];

const HOSTILE = [
  '[',
  '![',
  '[a](',
  '[a](b ',
  '[a](http://b',
  '*',
  '**a ',
  '*a_ ',
  '**a*b**c ',
  '_',
  '(',
  '`',
  '`a',
  '``` ',
  '~~a',
  '~',
  '!',
  '|',
  '|a|b|\n|-|-|\n',
  '> ',
  '>',
  '- ',
  '- a\n',
  '1. ',
  '# ',
  '\n',
  'a\n',
  '\\',
  '<',
  '<http://',
  '<br>',
  '&amp;',
  'http://',
  'http://{',
  'www.',
  'https://a.b/( ',
  '000201',
  '000201 6304ABCD',
  '1',
  '1 ',
  '0.',
  '👍**',
  '\ud800',
  '​',
  '[a]: http://b\n',
  '[![a](http://b.png)](http://c) ',
  '```\na\n',
  'a|b\n-|-\n',
  'a\n===\n',
  '<a href="b">',
  '][',
  '[]()',
];

function fillText(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

function nested(mark: string, end: string): string {
  let text = '';
  for (let depth = 0; text.length < HOSTILE_LENGTH; depth++) text += `${mark.repeat(depth)}${end}\n`;
  return text.slice(0, HOSTILE_LENGTH);
}

function hostileTexts(): Map<string, string> {
  const half = HOSTILE_LENGTH / 2;
  const texts = new Map(HOSTILE.map(unit => [JSON.stringify(unit), fillText(unit, HOSTILE_LENGTH)]));
  texts.set('nested lists', nested('  ', '- a'));
  texts.set('nested quotes', nested('>', ' a'));
  texts.set('targets in targets', fillText('[](', half) + fillText('1) ', half));
  texts.set('links in a deep quote', '>'.repeat(half) + fillText('](http://x.png', half));
  texts.set('pictures in a deep quote', '>'.repeat(half) + fillText('![](http://x.png)a', half));
  texts.set('[ then ]', '['.repeat(half) + ']'.repeat(half));
  texts.set('( then )', `[a]${'('.repeat(half)}${')'.repeat(half)}`);
  texts.set('links in links', '[a '.repeat(half / 4) + '](b)'.repeat(half / 4));
  texts.set('growing back-quotes', nested('`', ''));
  texts.set('emphasis in emphasis', '*a '.repeat(half / 3) + 'a* '.repeat(half / 3));
  texts.set('closings without a partner', `*a* ${'_a '.repeat(half / 3)}${'a* '.repeat(half / 3)}`);
  texts.set('pictures behind open brackets', '['.repeat(half) + '![a](http://b.png)'.repeat(half / 18));
  texts.set(
    'many Pix starts before few ends',
    fillText(`${'000201'.repeat(80)}6304ABCD6304ABCE`, HOSTILE_LENGTH),
  );
  return texts;
}

function milliseconds(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** The median, to exclude pauses of the garbage collector. */
function typical(work: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => milliseconds(work)).toSorted((a, b) => a - b);
  return times[Math.floor(ROUNDS / 2)] ?? 0;
}

function compareSpeed(name: string, texts: readonly string[]): void {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const ours = () => texts.forEach(text => parseWpp(text));
  const theirs = () => texts.forEach(text => lexer(text));
  ours();
  theirs();
  const [a, b] = [bytes / typical(ours) / 1000, bytes / typical(theirs) / 1000];
  console.log(
    `${name}: parseWpp ${a.toFixed(1)} MB/s, marked's lexer ${b.toFixed(1)} MB/s, ratio ${(a / b).toFixed(2)}`,
  );
}

function showWorst(): void {
  const results = [...hostileTexts()].map(([name, text]) => ({
    name,
    first: milliseconds(() => parseWpp(text)),
    typical: typical(() => parseWpp(text)),
  }));
  const worst = results.toSorted((a, b) => b.typical - a.typical);
  console.log(`hostile, ${results.length} texts of 100 KB, worst of them (median, and first run):`);
  for (const { name, first, typical } of worst.slice(0, 8)) {
    console.log(`  ${typical.toFixed(1)} ms (${first.toFixed(1)} ms)  ${name}`);
  }
}

const perRound = ANSWERS.reduce((sum, answer) => sum + Buffer.byteLength(answer), 0);
const answers = Array.from({ length: Math.ceil(1_000_000 / perRound) }, () => ANSWERS).flat();

compareSpeed('1 MB of answers, one by one', answers);
compareSpeed('1 MB of answers as one text', [answers.join('\n\n')]);
showWorst();
