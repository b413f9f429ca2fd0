import { expect } from 'chai';
import * as fc from 'fast-check';
import { type AskedKind, askedKindOf } from '../../text/asked-kind.ts';
import { countedNounOf, queryWordsOf } from '../../text/query-words.ts';
import { rankPassages, sentencesOf } from '../../workers/domain/retrieval/rank-passages.ts';
import { meantStemsOf, searchPlanOf, termsOf } from '../../workers/domain/retrieval/search-plan.ts';
import { runToEnd } from '../support/run-to-end.ts';

const queryOf = (words: string, asksFor?: AskedKind, countedNoun?: string) => ({
  terms: words.split(' ').map(word => ({ word, weight: 1, rarity: 2 })),
  asksFor,
  countedNoun,
});
const best = (query: Parameters<typeof rankPassages>[0], passages: readonly string[]) => {
  const scores = runToEnd(rankPassages(query, passages));
  return scores.indexOf(Math.max(...scores));
};

describe('the rank of passages', () => {
  const cases: readonly (readonly [why: string, words: string, right: string, wrong: string])[] = [
    ['other forms of a word', 'matricular', 'A matrícula é em janeiro.', 'A mensalidade é em janeiro.'],
    [
      'words together in one sentence',
      'prazo bolsa',
      'O prazo da bolsa é maio.',
      'O prazo é maio. Há uma bolsa.',
    ],
    [
      'words that stand side by side',
      'segunda chamada',
      'Faz a segunda chamada logo.',
      'Faz chamada na segunda logo.',
    ],
    [
      'all the words once in a sentence than for two of them often',
      'prazo bolsa curso',
      'O prazo, dizem fontes hoje, é da bolsa do curso.',
      'Bolsa e prazo, bolsa e prazo. Curso que dizem fontes hoje.',
    ],
    ['misspelt words', 'estacionameto', 'O estacionamento é livre.', 'O restaurante é livre.'],
    [
      'the shorter of two that say the same',
      'boleto',
      'Pague o boleto.',
      'Pague o boleto ou fale conosco hoje na sala verde.',
    ],
  ];
  for (const [why, words, right, wrong] of cases) {
    it(`is higher for ${why}`, () => {
      expect(best(queryOf(words), [wrong, right])).to.equal(1);
      expect(best(queryOf(words), [right, wrong])).to.equal(0);
    });
  }

  it('is higher for a second rare word in another sentence than for a second common one', () => {
    const rarities = { bolsa: 4, vagas: 4, curso: 0.1 };
    const terms = Object.entries(rarities).map(([word, rarity]) => ({ word, weight: 1, rarity }));
    const passages = ['A bolsa existe. O curso existe.', 'A bolsa existe. As vagas existem.'];
    expect(best({ terms }, passages)).to.equal(1);
  });

  it('is higher for a number where one is asked for', () => {
    const passages = ['O curso dura muitos semestres.', 'O curso dura 8 longos semestres.'];
    expect(best(queryOf('curso semestres', 'number'), passages)).to.equal(1);
    expect(askedKindOf('Quantos semestres dura o curso?')).to.equal('number');
    expect(askedKindOf('Quem coordena o curso?')).to.equal(undefined);
  });

  it('is higher for a price, a time or a contact where that is asked for', () => {
    const passages = ['A academia custa R$ 90.', 'A academia abre às 7h.', 'A academia atende no 3333-4000.'];
    for (const [at, question] of ['Quanto custa?', 'Que horas abre?', 'Qual o telefone?'].entries()) {
      const asksFor = askedKindOf(question);
      expect(best(queryOf('academia', asksFor), passages), question).to.equal(at);
    }
  });

  it('is that of the kind which is asked for first, where a question names several', () => {
    expect(askedKindOf('Qual é o período para pedir isenção da taxa?')).to.equal('time');
    expect(askedKindOf('Qual a taxa, e quando vence?')).to.equal('money');
    expect(askedKindOf('Quanto de juros cobra por dia?')).to.equal('money');
    expect(askedKindOf('Como funciona a transferência?')).to.equal(undefined);
  });

  it('is higher for a sentence that begins with what is to be defined', () => {
    const passages = [
      'A secretaria da reitoria registra, com o apoio do setor, o que pede o sistema.',
      'A secretaria é um setor que registra no sistema o que o apoio da reitoria pede.',
      'Os registros do setor são feitos no sistema pelo apoio da reitoria e pela secretaria.',
      'A Diretoria de Registros (DRE) é o setor da reitoria que apoia o sistema.',
    ];
    const ask = (question: string, words: string) => best(queryOf(words, askedKindOf(question)), passages);
    expect(ask('Onde fica a secretaria?', 'secretaria')).to.equal(0);
    expect(ask('O que é a secretaria?', 'secretaria')).to.equal(1);
    expect(ask('o que eh a DRE', 'dre')).to.equal(3);
    expect(askedKindOf('O que é necessário apresentar?')).to.equal(undefined);
  });

  it('is higher for a row of a table whose header says what is asked for', () => {
    const table = (header: string, other: string) =>
      `| Evento | ${header} |\n| --- | --- |\n| Aplicação da prova. | 13/10 |\n| ${other} | 14/10 |`;
    const passages = [table('Sala', 'Data'), table('Data', 'Sala')];
    expect(best(queryOf('data prova', 'time'), passages)).to.equal(1);
    expect(best(queryOf('data prova', 'time'), passages.toReversed())).to.equal(0);
  });

  it('is higher where the price stands in the sentence with the words', () => {
    const passages = ['A taxa existe. O almoço custa R$ 10.', 'A taxa custa R$ 10. O almoço existe.'];
    expect(best(queryOf('taxa', askedKindOf('Quanto custa?')), passages)).to.equal(1);
  });

  it('is higher where the words are a larger part of the passage', () => {
    const long = `A taxa e a taxa e a taxa. ${'Há outras coisas bem longas aqui. '.repeat(20)}`;
    expect(best(queryOf('taxa'), [long, 'A taxa abre.'])).to.equal(1);
  });

  it('is higher for what says how many there are of what is counted', () => {
    const passages = ['O curso traz semestres bem longos.', 'O curso leva oito semestres bem longos.'];
    expect(countedNounOf('Quantos semestres leva o curso?')).to.equal('semestres');
    expect(best(queryOf('curso semestres'), passages)).to.equal(0);
    expect(best(queryOf('curso semestres', undefined, 'semestres'), passages)).to.equal(1);
  });

  it('is higher for a sentence below a heading that has the rest of the question', () => {
    const below = (heading: string) => `# ${heading}\n\nO prazo é maio.\n\nHá vagas.`;
    expect(best(queryOf('prazo bolsa'), [`${below('Monitoria')} Bolsa não há.`, below('Bolsa')])).to.equal(1);
  });

  it('counts a word and its synonyms as one concept, and the word itself for more', () => {
    const terms = [
      { word: 'preco', weight: 1, rarity: 2, concept: 'preco' },
      { word: 'valor', weight: 1, rarity: 2, concept: 'preco', strength: 0.5 },
      { word: 'curso', weight: 1, rarity: 2, concept: 'curso' },
    ];
    expect(best({ terms }, ['Veja o preço e o valor.', 'Veja o valor do curso.'])).to.equal(1);
    expect(best({ terms }, ['Veja o valor do curso.', 'Veja o preço do curso.'])).to.equal(1);
  });

  it('goes by the rarer word, and by what was meant more', () => {
    const passages = ['Trata da prova.', 'Trata da bolsa.'];
    const terms = (rarity: number, weight: number) => [
      { word: 'prova', weight: 1, rarity: 2 },
      { word: 'bolsa', weight, rarity },
    ];
    expect(best({ terms: terms(4, 1) }, passages)).to.equal(1);
    expect(best({ terms: terms(4, 0.3) }, passages)).to.equal(0);
  });

  it('takes no words from an address but its host, and a contact', () => {
    const address = 'https://www.sala.exemplo.br/prazo/bolsa/2?prazo=bolsa';
    const passages = [`Veja a [sala](${address}).`, 'O prazo da bolsa vem depois.'];
    expect(best(queryOf('prazo bolsa'), passages)).to.equal(1);
    for (const asked of ['sala.exemplo.br', address]) {
      const terms = queryWordsOf(asked, []).map(each => ({ ...each, rarity: 2 }));
      expect(best({ terms }, passages.toReversed())).to.equal(1);
    }
    const kinds = sentencesOf(passages[0] ?? '').flatMap(sentence => sentence.kinds);
    expect(kinds).to.deep.equal(['contact']);
  });

  it('is a number of its own for each passage, whatever is in them, in any order', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'o', 's', 'é', ' ', '.', '\n', '7', '#', '😀') });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), fc.array(text, { maxLength: 5 }), (passages, words) => {
        const query = {
          terms: words.map(word => ({ word, weight: 1, rarity: 1 })),
          asksFor: 'time' as const,
          countedNoun: words[0],
        };
        const scores = runToEnd(rankPassages(query, passages));
        expect(scores).to.have.length(passages.length);
        for (const score of scores) expect(score).to.be.at.least(0);
        const turned = runToEnd(rankPassages(query, passages.toReversed())).toReversed();
        for (const [at, score] of scores.entries()) expect(turned[at]).to.be.closeTo(score, 1e-9);
      }),
    );
  });
});

describe('what is fetched to be ranked', () => {
  const known = (chunks: Record<string, number>, total: number) =>
    Object.entries(chunks).map(([stem, count]) => ({
      word: stem,
      written: stem,
      stem,
      likeness: 1,
      chunks: count,
      total,
    }));
  it('is ranked by the words that the knowledge has, more than by what looks like one that it lacks', () => {
    const asked = ['bolsa', 'concorrida'].map(word => ({ word, weight: 1 }));
    const terms = termsOf(known({ bolsa: 1 }, 10), asked);
    expect(best({ terms }, ['Havia concorrentes.', 'Havia bolsas raras.'])).to.equal(1);
    expect(terms.map(({ weight }) => weight)).to.deep.equal([1, 0.5]);
  });

  const planOf = (chunks: Record<string, number>, total: number) =>
    searchPlanOf(
      known(chunks, total),
      Object.keys(chunks).map(word => ({ word, weight: 1 })),
    ).probes;

  it('is whatever has any of the words where there is little', () => {
    expect(planOf({ a: 300, b: 2 }, 300)).to.have.members(['a', 'b']);
  });

  it('is what has a rare word, and what has several of the common ones', () => {
    expect(planOf({ a: 50_000, b: 2, c: 20_000, d: 500 }, 100_000)).to.deep.equal(['b', 'd c', 'c a']);
  });

  it('is what has the rarest word where it is the only one', () => {
    expect(planOf({ a: 50_000 }, 100_000)).to.deep.equal(['a']);
    expect(planOf({}, 100_000)).to.deep.equal([]);
  });

  it('is what has a synonym where the knowledge lacks the word', () => {
    const words = [
      { word: 'a', weight: 1 },
      { word: 'b', weight: 1, synonymOf: 'a' },
      { word: 'c', weight: 1, synonymOf: 'z' },
      { word: 'd', weight: 1, synonymOf: 'a', isInstead: true as const },
    ];
    const stems = known({ a: 9, b: 9, c: 9, d: 9 }, 100_000);
    expect(searchPlanOf(stems, words).stems).to.deep.equal(['a', 'b', 'c']);
    expect(searchPlanOf(stems, words).probes).to.have.members(['a', 'c']);
    const strengths = termsOf(stems, words).map(({ strength }) => strength);
    expect(strengths).to.have.length(3);
    expect(strengths[0]).to.be.above(strengths[2] ?? 1);
    expect(strengths[2]).to.be.above(strengths[1] ?? 1);
  });

  it('may have another spelling of a word only where no list says what that means', () => {
    const spelt = (word: string, written: string, likeness = 0.6) => ({
      word,
      written,
      likeness,
      stem: written,
      chunks: 1,
      total: 9,
    });
    const right = [spelt('colasao', 'colacao'), spelt('tranquei', 'trancamento'), spelt('tempo', 'tempo', 1)];
    const asked = queryWordsOf('tempo da colasao que tranquei', []);
    expect(meantStemsOf([...right, spelt('tempo', 'temporada')], asked)).to.deep.equal(right);
  });

  it('counts the rarer words for more', () => {
    const { stems, weights } = searchPlanOf(known({ a: 9_000, b: 9 }, 10_000), [
      { word: 'a', weight: 1 },
      { word: 'b', weight: 1 },
    ]);
    expect(stems).to.deep.equal(['a', 'b']);
    expect(weights[1]).to.be.above(10 * (weights[0] ?? 0));
  });

  it('reads a passage in a bounded number of sentences, with all its words', () => {
    const sentences = sentencesOf('uva.\n'.repeat(5_000));
    expect(sentences).to.have.length(200);
    expect(sentences.flatMap(({ words }) => words)).to.have.length(5_000);
  });
});
