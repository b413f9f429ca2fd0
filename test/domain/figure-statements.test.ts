import { expect } from 'chai';
import fc from 'fast-check';
import { checkAnswer } from '../../workers/domain/alignment/check-answer.ts';
import { makeSupport } from '../../workers/domain/alignment/support.ts';
import { makeSentenceGate } from '../../workers/domain/alignment/withhold-sentences.ts';
import { runToEnd } from '../support/run-to-end.ts';

interface Asked {
  readonly question?: string;
  readonly passages?: readonly string[];
  readonly others?: readonly string[];
}

const FEES = 'A taxa de inscrição é R$ 85,00. O aluguel da quadra custa R$ 90,00 por hora.';
const INSTALMENTS = 'A matrícula é paga em parcelas de R$ 300.';

const BUS = 'A biblioteca abre das 7h30 às 22h. O ônibus sai a cada 40 minutos e leva 25 minutos.';
const HOURS = 'A secretaria atende de segunda a sexta, das 8h às 12h e das 13h às 17h.';
const LESSONS = ['natação', 'judô', 'dança'].map(name => `A aula de ${name} dura 3 horas por dia.`);
const TERMS = 'A matrícula é em março de 2026. A formatura é em 2026/2.';
const MUSEUM = 'O museu tem quatorze salas em 3 andares e emprega 120 guias.';

type Case = readonly [
  sentence: string,
  asked: Asked,
  found: readonly (readonly [answer: string, ...figures: string[]])[],
];

/** In each answer, the figures that are found, of these passages. */
// biome-ignore format: a table
const CASES: readonly Case[] = [
  ['is named as right elsewhere when another statement of the passage has it', { passages: [FEES] },
    [['A taxa de inscrição é R$ 90,00.', 'R$ 90,00 elsewhere'], ['A taxa de inscrição é R$ 85,00.']]],
  ['is named as right elsewhere in a short passage, too', { passages: ['Taxa: R$ 85. Quadra: R$ 90.'] },
    [['Taxa: R$ 90.', 'R$ 90 elsewhere']]],
  ['is none where it only orders what is said', { passages: ['Vá à secretaria e pague a taxa.'] },
    [['Primeiro, vá à secretaria. Segundo, pague a taxa.'], ['Terceiro, pague a taxa.', 'Terceiro']]],
  ['is compared with terms as with dates', { passages: [TERMS] },
    [['A matrícula é em 2026/2.', '2026/2 elsewhere']]],
  ['is compared with terms as with dates, and with days only where it is in them itself',
    { passages: ['A loja entrega em 5 dias e troca em 1 dia.'] },
    [['A loja entrega em 1 dia.', '1 dia elsewhere']]],
  ['is compared with terms as with dates, and with times only where it is in them itself',
    { passages: ['O ônibus sai às 23h e volta à 0h30.'] }, [['O ônibus sai à 0h30.', '0h30 elsewhere']]],
  ['is compared with terms as with dates, and with hours only where it is in them itself',
    { passages: ['A loja entrega em 3 dias e troca em 30 horas.'] },
    [['A loja entrega em 30 horas.', '30 horas elsewhere']]],
  ['is not named so when nothing has it', { passages: [FEES] },
    [['A taxa de inscrição é R$ 91,00.', 'R$ 91,00']]],
  ['passes in any statement when the dialogue or a tool has it',
    { passages: [FEES], others: ['Vi R$ 90,00 em algum lugar.'] }, [['A taxa de inscrição é R$ 90,00.']]],
  ['takes the words of the question where the answer has none of its own',
    { question: 'Qual é a taxa de inscrição?', passages: [FEES] },
    [['85.'], ['90.', '90 elsewhere'], ['91.', '91']]],
  ['passes where it is calculated from the passage and the sentence', { passages: [INSTALMENTS] },
    [['São duas parcelas de R$ 300 da matrícula, R$ 600 no total.'],
      ['São duas parcelas de R$ 300 da matrícula, R$ 700 no total.', 'duas', 'R$ 700']]],
  ['is named so where the sentence says it in the place of another, too', { passages: [BUS] },
    [['A biblioteca abre das 22h às 22h.', '22h elsewhere'],
      ['A biblioteca abre das 7h30 às 7h30.', '7h30 elsewhere'], ['A biblioteca abre das 7h30 às 22h.'],
      ['O ônibus sai de 40 em 40 minutos.'], ['A biblioteca fecha às 22h (vinte e duas horas).']]],
  ['is compared by the words beside it, not by those that it is written in',
    { passages: ['A loja entrega em seis dias na capital e em 13 dias no interior. Trocas são aceitas em trinta dias.'] },
    [['A loja entrega em trinta dias na capital.', 'trinta dias elsewhere']]],
  ['is compared by the words beside it, where others of its kind stand there',
    { passages: ['O parque abre às 6h e fecha às 20h; às segundas, abre às 12h em ponto.'] },
    [['O parque funciona das 6h às 20h em ponto.']]],
  ['is named so where it counts what another figure of the passage counts', { passages: [MUSEUM] },
    [['O museu tem 3 salas.', '3 elsewhere'], ['O museu tem 14 salas.'], ['São 3 andares.'],
      ['São 120 pessoas.']]],
  ['is not named so where it counts without a noun, which is not known',
    { passages: ['O museu tem 27 lojas e 9.'] }, [['O museu tem 9 lojas.']]],
  ['is not named so where it counts and its noun stands in the next line',
    { passages: ['O museu tem 27 lojas e 9\nlivros novos.'] }, [['O museu tem 9 lojas.']]],
  ['passes where it is the time between those of a passage', { passages: ['A loja abre das 10h às 24h.'] },
    [['A loja fica aberta 14 horas.']]],
  ['passes where it is the time between those of a passage, in two parts',
    { passages: ['A loja abre das 8h às 12h e das 14h às 17h.'] }, [['A loja fica aberta 7 horas.']]],
  ['passes where it is the time between those of a passage, in years',
    { passages: ['A obra foi de 2020 a 2022.'] }, [['A obra durou 2 anos.']]],
  ['passes where it is a product of two figures of a passage',
    { passages: ['A matrícula é paga em 3 parcelas de R$ 300.'] }, [['O total da matrícula é R$ 900.']]],
  ['passes where it sums up the hours of a passage beside others that have its common words',
    { passages: [HOURS, ...LESSONS] }, [['A secretaria fica aberta oito horas por dia.']]],
  ['passes where it is the year that a price is calculated for',
    { passages: ['O plano completo custa R$ 90,00 por mês.'] },
    [['Em um ano, o completo custa R$ 1.080,00.'],
      ['Em um ano, o completo custa R$ 1.090,00.', 'um ano', 'R$ 1.090,00']]],
  ['passes where it counts together what the sentence names',
    { passages: ['Cada turma de Libras tem 25 alunos e 4 monitores.'] },
    [['São 29 pessoas em cada turma, com alunos e monitores.'],
      ['São 29 alunos em cada turma, com aulas à noite.', '29']]],
  ['is none where it only marks an item of a list', { passages: ['Abra o portal. Envie o documento.'] },
    [['1. Abra o portal.\n2. Envie o documento.'], ['Abra o portal 7.', '7']]],
];

describe('A figure in its statement', () => {
  for (const [sentence, asked, found] of CASES)
    it(sentence, () => {
      for (const [answer, ...figures] of found) expect(foundIn(answer, asked), answer).to.deep.equal(figures);
    });

  const SENTENCES = [
    'A taxa de inscrição é R$ 85,00.',
    'A taxa de inscrição é R$ 91,00.',
    'São duas parcelas de R$ 300 da matrícula, R$ 600 no total.',
    'São 47 vagas.',
    'Abra o portal.',
    '\n1. Abra o portal.\n2. Envie o documento.\n',
    'Em 2031.',
  ];
  const sentences = fc.array(fc.constantFrom(...SENTENCES), { minLength: 1, maxLength: 8 });

  it('stays in a stream just where it would in the whole answer, however that is cut', () => {
    const texts = [FEES, INSTALMENTS];
    const support = makeSupport();
    for (const text of texts) runToEnd(support.readSteps(text));
    fc.assert(
      fc.property(sentences, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (parts, lengths) => {
        const answer = parts.join(' ').trim();
        const gate = makeSentenceGate(support.openCheck(), 'Não sei.');
        let streamed = '';
        for (let at = 0; at < answer.length; ) {
          const length = lengths.next().value;
          streamed += gate.add(answer.slice(at, at + length));
          at += length;
        }
        streamed += gate.end();
        const isWrong = foundIn(answer, { passages: texts }).some(each => !each.endsWith('elsewhere'));
        expect(streamed.includes('Não sei.')).to.equal(isWrong);
        expect(foundIn(streamed, { passages: texts })).to.deep.equal([]);
      }),
    );
  });
});

/** Each figure that was found, with a mark where it is right elsewhere. */
function foundIn(answer: string, { question = '', passages = [], others = [] }: Asked): string[] {
  const { unsupported } = runToEnd(checkAnswer(answer, { question, passages, hostTexts: [], others }));
  return unsupported.map(({ text, elsewhere }) => (elsewhere ? `${text} elsewhere` : text));
}
