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

/** Each figure that was found, with a mark where it is right elsewhere. */
function foundIn(answer: string, { question = '', passages = [], others = [] }: Asked): string[] {
  const { unsupported } = runToEnd(checkAnswer(answer, { question, passages, standing: [], others }));
  return unsupported.map(({ text, elsewhere }) => (elsewhere ? `${text} elsewhere` : text));
}

describe('A figure in its statement', () => {
  it('is named as right elsewhere when another statement of the passage has it', () => {
    expect(foundIn('A taxa de inscrição é R$ 90,00.', { passages: [FEES] })).to.deep.equal([
      'R$ 90,00 elsewhere',
    ]);
    expect(foundIn('A taxa de inscrição é R$ 85,00.', { passages: [FEES] })).to.deep.equal([]);
    const short = ['Taxa: R$ 85. Quadra: R$ 90.'];
    expect(foundIn('Taxa: R$ 90.', { passages: short })).to.deep.equal(['R$ 90 elsewhere']);
  });

  it('is none where it only orders what is said', () => {
    const passages = ['Vá à secretaria e pague a taxa.'];
    expect(foundIn('Primeiro, vá à secretaria. Segundo, pague a taxa.', { passages })).to.deep.equal([]);
    expect(foundIn('Terceiro, pague a taxa.', { passages })).to.deep.equal(['Terceiro']);
  });

  it('is compared with terms as with dates, and with hours and days only where it is in them itself', () => {
    for (const [answer, passage, found] of [
      [
        'A matrícula é em 2026/2.',
        'A matrícula é em março de 2026. A formatura é em 2026/2.',
        '2026/2 elsewhere',
      ],
      ['A loja entrega em 1 dia.', 'A loja entrega em 5 dias e troca em 1 dia.', '1 dia elsewhere'],
      ['O ônibus sai à 0h30.', 'O ônibus sai às 23h e volta à 0h30.', '0h30 elsewhere'],
      ['A loja entrega em 30 horas.', 'A loja entrega em 3 dias e troca em 30 horas.', '30 horas elsewhere'],
    ] as const)
      expect(foundIn(answer, { passages: [passage] }), answer).to.deep.equal([found]);
  });

  it('is not named so when nothing has it', () => {
    expect(foundIn('A taxa de inscrição é R$ 91,00.', { passages: [FEES] })).to.deep.equal(['R$ 91,00']);
  });

  it('passes in any statement when the dialogue or a tool has it', () => {
    const given = { passages: [FEES], others: ['Vi R$ 90,00 em algum lugar.'] };
    expect(foundIn('A taxa de inscrição é R$ 90,00.', given)).to.deep.equal([]);
  });

  it('takes the words of the question where the answer has none of its own', () => {
    const asked = { question: 'Qual é a taxa de inscrição?', passages: [FEES] };
    expect(foundIn('85.', asked)).to.deep.equal([]);
    expect(foundIn('90.', asked)).to.deep.equal(['90 elsewhere']);
    expect(foundIn('91.', asked)).to.deep.equal(['91']);
  });

  it('passes where it is calculated from the passage and the sentence', () => {
    const passages = [INSTALMENTS];
    expect(foundIn('São duas parcelas de R$ 300 da matrícula, R$ 600 no total.', { passages })).to.deep.equal(
      [],
    );
    expect(foundIn('São duas parcelas de R$ 300 da matrícula, R$ 700 no total.', { passages })).to.deep.equal(
      ['duas', 'R$ 700'],
    );
  });

  it('is named so where the sentence says it in the place of another, too', () => {
    const passages = ['A biblioteca abre das 7h30 às 22h. O ônibus sai a cada 40 minutos e leva 25 minutos.'];
    expect(foundIn('A biblioteca abre das 22h às 22h.', { passages })).to.deep.equal(['22h elsewhere']);
    expect(foundIn('A biblioteca abre das 7h30 às 7h30.', { passages })).to.deep.equal(['7h30 elsewhere']);
    for (const right of [
      'A biblioteca abre das 7h30 às 22h.',
      'O ônibus sai de 40 em 40 minutos.',
      'A biblioteca fecha às 22h (vinte e duas horas).',
    ])
      expect(foundIn(right, { passages }), right).to.deep.equal([]);
  });

  it('is compared by the words beside it, not by those that it is written in', () => {
    const passages = [
      'A loja entrega em seis dias na capital e em 13 dias no interior. Trocas são aceitas em trinta dias.',
    ];
    expect(foundIn('A loja entrega em trinta dias na capital.', { passages })).to.deep.equal([
      'trinta dias elsewhere',
    ]);
    const park = ['O parque abre às 6h e fecha às 20h; às segundas, abre às 12h em ponto.'];
    expect(foundIn('O parque funciona das 6h às 20h em ponto.', { passages: park })).to.deep.equal([]);
  });

  it('is named so where it counts what another figure of the passage counts', () => {
    const passages = ['O museu tem quatorze salas em 3 andares e emprega 120 guias.'];
    expect(foundIn('O museu tem 3 salas.', { passages })).to.deep.equal(['3 elsewhere']);
    for (const right of ['O museu tem 14 salas.', 'São 3 andares.', 'São 120 pessoas.'])
      expect(foundIn(right, { passages }), right).to.deep.equal([]);
    // What a number without a noun counts is not known, and a noun stands in the same line.
    for (const unclear of ['O museu tem 27 lojas e 9.', 'O museu tem 27 lojas e 9\nlivros novos.'])
      expect(foundIn('O museu tem 9 lojas.', { passages: [unclear] }), unclear).to.deep.equal([]);
  });

  it('passes where it is the time between those of a passage, or a product of two of its figures', () => {
    for (const [answer, passage] of [
      ['A loja fica aberta 14 horas.', 'A loja abre das 10h às 24h.'],
      ['A loja fica aberta 7 horas.', 'A loja abre das 8h às 12h e das 14h às 17h.'],
      ['A obra durou 2 anos.', 'A obra foi de 2020 a 2022.'],
      ['O total da matrícula é R$ 900.', 'A matrícula é paga em 3 parcelas de R$ 300.'],
    ] as const)
      expect(foundIn(answer, { passages: [passage] }), answer).to.deep.equal([]);
  });

  it('passes where it sums up the hours of a passage beside others that have its common words', () => {
    const passages = [
      'A secretaria atende de segunda a sexta, das 8h às 12h e das 13h às 17h.',
      ...['natação', 'judô', 'dança'].map(name => `A aula de ${name} dura 3 horas por dia.`),
    ];
    expect(foundIn('A secretaria fica aberta oito horas por dia.', { passages })).to.deep.equal([]);
  });

  it('passes where it is the year that a price is calculated for', () => {
    const passages = ['O plano completo custa R$ 90,00 por mês.'];
    expect(foundIn('Em um ano, o completo custa R$ 1.080,00.', { passages })).to.deep.equal([]);
    expect(foundIn('Em um ano, o completo custa R$ 1.090,00.', { passages })).to.deep.equal([
      'um ano',
      'R$ 1.090,00',
    ]);
  });

  it('passes where it counts together what the sentence names', () => {
    const passages = ['Cada turma de Libras tem 25 alunos e 4 monitores.'];
    expect(foundIn('São 29 pessoas em cada turma, com alunos e monitores.', { passages })).to.deep.equal([]);
    expect(foundIn('São 29 alunos em cada turma, com aulas à noite.', { passages })).to.deep.equal(['29']);
  });

  it('is none where it only marks an item of a list', () => {
    const passages = ['Abra o portal. Envie o documento.'];
    expect(foundIn('1. Abra o portal.\n2. Envie o documento.', { passages })).to.deep.equal([]);
    expect(foundIn('Abra o portal 7.', { passages })).to.deep.equal(['7']);
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
