import { expect } from 'chai';
import { MAX_SENTENCES, splitSentences } from '../../text/sentences.ts';
import { checkAnswer, listSourceTexts } from '../../workers/domain/alignment/check-answer.ts';
import { makeSupport } from '../../workers/domain/alignment/support.ts';
import { makeSentenceGate } from '../../workers/domain/alignment/withhold-sentences.ts';
import { clockFactsOf } from '../../workers/domain/prompts/clock-line.ts';
import { runToEnd } from '../support/run-to-end.ts';

const check = (answer: string, passages: readonly string[], others: readonly string[] = []) =>
  runToEnd(checkAnswer(answer, { question: '', passages, hostTexts: [], others }));
const carriedBy = (answer: string, passages: readonly string[], others?: readonly string[]) =>
  check(answer, passages, others).sources.map(({ passage, sentences }) => [
    passage,
    sentences.map(({ from, to }) => answer.slice(from, to)),
  ]);

const FEE = 'A taxa de inscrição do vestibular custa R$ 85,00.';
const LIBRARY = 'A biblioteca abre de segunda a sexta-feira, das 7h30 às 22h, e empresta até seis livros.';
const HOUSING = 'A Casa do Estudante tem 96 vagas, com condomínio de R$ 90,00.';

describe('The check of an answer', () => {
  it('names for each sentence the passage with its words and figures, in any order of words', () => {
    const answer =
      'Olá, Ana!\n\nPara se inscrever no vestibular você paga a taxa de oitenta e cinco reais. São até 6 livros emprestados pela biblioteca.\nPosso ajudar em algo mais?';
    expect(carriedBy(answer, [HOUSING, LIBRARY, FEE])).to.deep.equal([
      [1, ['São até 6 livros emprestados pela biblioteca.']],
      [2, ['Para se inscrever no vestibular você paga a taxa de oitenta e cinco reais.']],
    ]);
  });

  it('names a passage that has the words together, however often it repeats one before that', () => {
    const answer = 'A biblioteca empresta livros aos sábados.';
    const far = 'Uma coisa e outra acontecem sempre aqui perto. '.repeat(40);
    const passages = [`${'Biblioteca. '.repeat(6)}${far}${answer}`, 'O museu abre.'];
    expect(carriedBy(answer, passages)).to.deep.equal([[0, [answer]]]);
  });

  it('names both passages of a sentence that is made of two', () => {
    const answer = 'A inscrição no vestibular custa R$ 85,00 e o condomínio da Casa do Estudante, R$ 90,00.';
    expect(carriedBy(answer, [HOUSING, LIBRARY, FEE]).map(([passage]) => passage)).to.deep.equal([0, 2]);
  });

  it('finds each figure behind a URL that has an address of mail in it', () => {
    const link = 'Inscreva-se em https://site.br/form?email=contato@site.br&x=1 até as 18h.';
    const answer = `${link} O valor é R$ 999,00 à vista.`;
    const { unsupported } = check(answer, [link]);
    expect(unsupported.map(({ from, to }) => answer.slice(from, to))).to.deep.equal(['R$ 999,00']);
    const other = check(link.replace('contato@', 'cantato@'), [link]).unsupported;
    expect(other.map(({ kind }) => kind)).to.deep.equal(['url']);
  });

  it('reads no raised digit as a part of the number before it', () => {
    const wrongIn = (answer: string) =>
      check(answer, ['A Casa do Estudante tem 12³ vagas.']).unsupported.map(({ from, to }) =>
        answer.slice(from, to),
      );
    expect(wrongIn('A Casa do Estudante tem 12 vagas.')).to.deep.equal([]);
    expect(wrongIn('A Casa do Estudante tem 123 vagas.')).to.have.length(1);
  });

  it('names no passage for what a tool said', () => {
    const said = 'O boleto de março da aluna Ana venceu e custa R$ 731,50.';
    expect(carriedBy('O boleto de março venceu e custa R$ 731,50.', [FEE, LIBRARY], [said])).to.deep.equal(
      [],
    );
  });

  it('names the right passage for a sentence with a wrong figure', () => {
    const { sources, unsupported } = check('A taxa de inscrição do vestibular custa R$ 95,00.', [
      LIBRARY,
      FEE,
    ]);
    expect(sources.map(({ passage }) => passage)).to.deep.equal([1]);
    expect(unsupported).to.deep.equal([{ from: 40, to: 48, kind: 'money', text: 'R$ 95,00' }]);
  });

  it('takes a time that is said in another unit, and a part of what is counted, for what they are', () => {
    const lesson = 'A aula dura 1h30, com 15 minutos de intervalo.';
    expect(check('A aula dura 90 minutos.', [lesson]).unsupported).to.deep.equal([]);
    const course = 'O curso tem 8 módulos: 5 obrigatórios e 3 optativos.';
    expect(check('São 5 módulos obrigatórios.', [course]).unsupported).to.deep.equal([]);
    const museum = 'O museu tem 9 salas e 3 elevadores.';
    expect(check('O museu tem 3 salas.', [museum]).unsupported).to.have.length(1);
    expect(check('São 7 módulos obrigatórios.', [course]).unsupported).to.have.length(1);
  });

  it('finds a figure in a long passage wherever it is cut', () => {
    for (const length of [3_950, 3_970, 3_990, 4_010, 8_000, 16_000]) {
      const passage = `${'a '.repeat(length / 2)}\nA taxa custa R$ 85,00 e vence em 14 de março de 2027.\n${'b '.repeat(4_000)}`;
      expect(check('Custa 85 reais até 14/03/2027.', [passage]).unsupported).to.deep.equal([]);
    }
  });

  it('takes the lines and sentences of an answer apart, and no abbreviation, number or initial', () => {
    const answer =
      'Fale com a Profa. Dra. Ana B. Lima, na Av. Brasil, nº. 45. Custa R$ 1.200,50!\n1. Abra o portal.\n2. Clique (em "ok").\n| A | 1 |\nFim';
    expect(splitSentences(answer).map(({ from, to }) => answer.slice(from, to))).to.deep.equal([
      'Fale com a Profa. Dra. Ana B. Lima, na Av. Brasil, nº. 45.',
      'Custa R$ 1.200,50!',
      '1. Abra o portal.',
      '2. Clique (em "ok").',
      '| A | 1 |',
      'Fim',
    ]);
    expect(splitSentences('a.\n'.repeat(1_000))).to.have.length(MAX_SENTENCES);
  });

  it('reads each character once and compares each word with each piece once, whatever the texts are', () => {
    const texts = {
      words: (length: number) => 'a taxa da bolsa custa muito. '.repeat(length / 29),
      numbers: (length: number) => '1 2,5 R$ 3 4% às 5h 6/7 '.repeat(length / 24),
      sentences: (length: number) => 'ab. '.repeat(length / 4),
      'one word': (length: number) => 'x'.repeat(length),
      'number words': (length: number) => 'mil e cem e um '.repeat(length / 15),
      addresses: (length: number) => 'a.b.c@d.br/e '.repeat(length / 13),
    };
    for (const [name, textOf] of Object.entries(texts)) {
      const answer = textOf(16_000);
      const passages = Array.from(
        { length: name === 'words' ? 200 : 40 },
        (_, at) => `${textOf(7_990)} ${at}`,
      );
      const { work } = check(answer, passages);
      const read = answer.length + passages.join('').length;
      // A word has two characters at least, with the blank. Four pieces are looked at closely, up to 4,000 words in each.
      // A passage has up to four pieces.
      const compared = (answer.length / 2) * passages.length * 4;
      const places = splitSentences(answer).length * 4 * 2 * 4_000;
      expect(work, name).to.be.at.most(read + compared + places);
    }
  });

  it('reads a text of a conversation and a passage anew once in their turns, however long the conversations are between', () => {
    const stepsOf = (passages: readonly string[], others: readonly string[]) =>
      [...checkAnswer(FEE, { question: '', passages, hostTexts: [], others })].length;
    const longTalk = (nth: number) => `${nth} ${'Fala e fala. '.repeat(300)}`;
    const [passage, said] = [`${LIBRARY} (lida uma vez)`, `${HOUSING} (dita uma vez)`];
    const first = [stepsOf([passage], []), stepsOf([], [said])];
    expect(stepsOf([], [said])).to.be.lessThan(first[1] ?? 0);
    for (let nth = 0; nth < 300; nth++) stepsOf([], [longTalk(nth)]);
    expect(stepsOf([passage], [])).to.be.lessThan(first[0] ?? 0);
    expect(stepsOf([], [said]), 'what was said long ago is forgotten').to.equal(first[1]);
  });

  it('pauses after some words or figures of a sentence, however many it has', () => {
    const MOST = 500;
    const sentences = {
      'one figure': '12 '.repeat(4_000),
      'many figures': Array.from({ length: 4_000 }, (_, at) => `${at} km`).join(' '),
      'many words': Array.from({ length: 4_000 }, (_, at) => `casa${at.toString(26)}`).join(' '),
    };
    for (const [name, answer] of Object.entries(sentences)) {
      const sourceTexts = { question: '', passages: [answer], hostTexts: [], others: [] };
      expect(countPauses(checkAnswer(answer, sourceTexts)), name).to.be.at.least((4 * 4_000) / MOST);
    }
  });

  it('compares a word or figure only with the pieces that have it', () => {
    const words = Array.from({ length: 2_000 }, (_, at) => `${at} casa${at.toString(26)}`);
    const passages = Array.from({ length: 50 }, (_, at) => words.slice(at * 40, at * 40 + 40).join(' '));
    const answer = words.join(' ');
    expect(check(answer, passages).work).to.be.at.most(answer.length + 2 * passages.join('').length);
  });

  it('finds the same calculated figures as the gate that withholds sentences, in a long sentence, too', () => {
    const others = ['A matrícula é paga em parcelas de R$ 300.'];
    const calculated = 'São duas parcelas de R$ 300 da matrícula, R$ 600 no total,';
    const sentence = `${calculated} ${'conversa longa '.repeat(130)}`.repeat(10);
    const support = makeSupport();
    for (const text of others) runToEnd(support.readSteps(text));
    const gate = makeSentenceGate(support.openCheck(), 'Não sei.');
    expect(gate.add(sentence) + gate.end()).to.equal(sentence);
    expect(check(sentence, [], others).unsupported).to.deep.equal([]);
  });
});

function countPauses(steps: Generator<void, unknown>): number {
  let pauses = 0;
  while (!steps.next().done) pauses += 1;
  return pauses;
}

describe('a figure of the clock', () => {
  /** Sunday; it is open on weekdays. */
  const clock = clockFactsOf({
    now: Date.parse('2027-03-14T15:00-03:00'),
    timeZone: 'America/Sao_Paulo',
    businessHours: [{ days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }],
  });
  const sourceTexts = { question: 'Quando abre?', passages: [], hostTexts: [], others: [], clock };
  const support = makeSupport();
  for (const { text, fact } of listSourceTexts(sourceTexts)) runToEnd(support.readSteps(text, fact));
  const wrongIn = (answer: string) => {
    const found = runToEnd(checkAnswer(answer, sourceTexts)).unsupported.map(({ text }) => text);
    const gate = makeSentenceGate(support.openCheck(), 'Não sei.');
    expect((gate.add(answer) + gate.end()).includes('Não sei.'), answer).to.equal(found.length > 0);
    return found;
  };

  it('stands for the day that it is of, in any language', () => {
    // biome-ignore format: a list
    const answers = [
      'Hoje é domingo, 14/03/2027, e são 15:00.', 'Hoje é 14/03/2027 e amanhã é 15/03/2027.',
      'Hoje (14/03/2027) estamos fechados. Abrimos às 08:00 de segunda-feira, 15/03/2027.',
      'Já fechamos hoje e voltamos no dia 15/03/2027, às 08:00.', '14/03/2027 (hoje) e 15/03/2027 (amanhã).',
      'Amanhã, segunda-feira, 15/03/2027, abrimos das 08:00 às 18:00.',
      'Amanhã abrimos às 8h. O dia seguinte a 14/03/2027 é uma segunda.', 'Abrimos hoje e segunda-feira.',
      'Na segunda às 08:00 abrimos.', 'Estamos fechados agora; abre segunda-feira, 15/03/2027, às 08:00.',
      'Today is Sunday, March 14, 2027. We open tomorrow at 8 am.', "Today's date is March 14, 2027.",
      'Hoy es domingo y abrimos mañana a las 08:00.', 'Abrimos amanhã.',
      'Ontem foi sábado, 13/03/2027, e anteontem 12/03/2027.', 'Depois de amanhã é terça-feira, dia 16/03/2027.',
      'Yesterday was March 13, 2027.', 'Ayer fue sabado, 13/03/2027.',
      'Estamos fechados agora e abrimos às 08:00.', 'No dia 15/03/2027 estamos abertos às 08:00.',
      'Agora estamos fechados, mas amanhã, 15/03/2027, atendemos.',
    ];
    for (const answer of answers) expect(wrongIn(answer), answer).to.deep.equal([]);
  });

  it('stands for no other day', () => {
    for (const [answer, wrong] of [
      ['Hoje é 15/03/2027.', ['15/03/2027']],
      ['A data de hoje é dia 15 de março de 2027.', ['15 de março de 2027']],
      ['Amanhã é 14/03/2027.', ['14/03/2027']],
      ['15/03/2027 é hoje.', ['15/03/2027']],
      ['Hoje é segunda-feira.', ['segunda-feira']],
      ['Hoje, segunda-feira, 15/03/2027, estamos fechados.', ['segunda-feira']],
      ['Amanhã é terça-feira, 15/03/2027.', ['terça-feira']],
      ['Hoje abrimos às 08:00.', ['08:00']],
      ['Abrimos às 08:00 de hoje e fechamos.', ['08:00']],
      ['Agora são 18:00.', ['18:00']],
      ['Amanhã abrimos às 15:00.', ['15:00']],
      ['No domingo abrimos às 08:00.', ['08:00']],
      ['Today is March 15, 2027.', ['March 15, 2027']],
      ['Today is Monday.', ['Monday']],
      ['We open today at 8 am.', ['8 am']],
      ['Hoy es lunes.', ['lunes']],
      ['Mañana abrimos a las 15:00.', ['15:00']],
    ] as const)
      expect(wrongIn(answer), answer).to.deep.equal(wrong);
  });

  it('stands for today beside each word for the present, and for yesterday and the days after beside theirs', () => {
    // biome-ignore format: a list
    const words = [
      'Hoje é', 'Hj é', 'Hoje já é dia', 'Agora é', 'Estamos em', 'Estamos no dia', 'Estamos a', 'Neste momento é',
      'Nesse exato momento, é dia', 'No momento, estamos em', 'A data atual é', 'A data atual e', 'Data atual:', 'O dia de hoje é',
      'Atualmente estamos no dia', 'Today is', 'It is now', 'Right now it is', 'The current date is',
      'Currently it’s', 'At this moment it is', 'We are on', 'Hoy es', 'Ahora es', 'Estamos a día', 'En este momento es',
      'La fecha actual es', 'Actualmente es', 'Hj eh', '**Hoje** é **', 'Data de hoje: *', '**Data atual:** _', 'Hoje é “',
    ];
    for (const word of words) {
      expect(wrongIn(`${word} 14/03/2027.`), word).to.deep.equal([]);
      expect(wrongIn(`${word} 15/03/2027.`), word).to.deep.equal(['15/03/2027']);
    }
    for (const [right, wrong] of [
      ['São 15:00 neste momento.', 'São 18:00 neste momento.'],
      ['Neste momento são 15:00.', 'Neste momento são 18:00.'],
      ['Agora sao 15:00.', 'Agora sao 18:00.'],
      ['A hora atual é 15:00.', 'A hora atual é 18:00.'],
      ['It is now 15:00.', 'It is now 18:00.'],
      ['Ahora mismo son las 15:00.', 'Ahora mismo son las 18:00.'],
      ['14/03/2027 é a data atual.', '15/03/2027 é a data atual.'],
      ['**14/03/2027** é a data de hoje.', '**15/03/2027** é a data de hoje.'],
      ['Hoje é **domingo**.', 'Hoje é **segunda-feira**.'],
      ['Agora são **15:00**.', 'Agora são **18:00**.'],
      ['Ontem era 13/03/2027.', 'Ontem era 15/03/2027.'],
      ['Estamos num domingo.', 'Estamos numa segunda-feira.'],
      ['Ontem foi 13/03/2027.', 'Ontem foi 15/03/2027.'],
      ['Ontem, dia 13/03/2027, não abrimos.', 'Ontem, dia 14/03/2027, não abrimos.'],
      ['Ontem foi sábado.', 'Ontem foi domingo.'],
      ['Anteontem foi 12/03/2027.', 'Anteontem foi 13/03/2027.'],
      ['Yesterday was 13/03/2027.', 'Yesterday was 14/03/2027.'],
      ['Ayer fue 13/03/2027.', 'Ayer fue 15/03/2027.'],
      ['Amanha sera 15/03/2027.', 'Amanha sera 16/03/2027.'],
      ['Tomorrow will be 15/03/2027.', 'Tomorrow will be 14/03/2027.'],
      ['Pasado manana es 16/03/2027.', 'Pasado manana es 15/03/2027.'],
      ['A prova é amanhã, 15/03/2027.', 'A prova é 13/03/2027.'],
    ] as const) {
      expect(wrongIn(right), right).to.deep.equal([]);
      expect(wrongIn(wrong), wrong).to.have.length(1);
    }
  });

  it('stands for any day where something else has it, too', () => {
    const { unsupported } = runToEnd(
      checkAnswer('Hoje abrimos às 08:00.', { ...sourceTexts, passages: ['Abre às 08:00.'] }),
    );
    expect(unsupported).to.deep.equal([]);
  });
});
