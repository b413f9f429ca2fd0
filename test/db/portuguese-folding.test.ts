import { expect } from 'chai';
import * as fc from 'fast-check';
import { rowsOf } from '../../db/rows-of.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { numbers, stopWords, strangers } from './folding-words.ts';

interface Compared {
  readonly content: string;
  readonly query: string;
  readonly isFound: boolean;
}

const pairOf = (pair: string) => pair.split('/') as [string, string];
const plain = (word: string) => word.normalize('NFD').replaceAll(/\p{M}/gu, '');

describe('Portuguese words in a search', () => {
  const { db } = openOnce(makeDatabase);

  async function compare(pairs: readonly (readonly [content: string, query: string])[]): Promise<Compared[]> {
    return rowsOf<Compared>(db)`
      select content, query, search_vector(content) @@ all_words_query(query) as "isFound"
      from unnest(${pairs.map(([content]) => content)}::text[], ${pairs.map(([, query]) => query)}::text[])
        as pair (content, query)`;
  }

  async function stems(text: string): Promise<string> {
    const [row] = await rowsOf<{ stems: string }>(db)`select strip(search_vector(${text}))::text as stems`;
    return row?.stems ?? '';
  }

  it('match in both numbers, both ways, with and without accents', async () => {
    expect(numbers.length).to.be.at.least(80);
    const pairs = numbers.map(pairOf).flatMap(([one, many]): [string, string][] => [
      [one, many],
      [many, one],
      [one, plain(many)],
      [many, plain(one)],
      [plain(one), many],
      [plain(many), one],
    ]);
    const missed = (await compare(pairs)).filter(({ isFound }) => !isFound);
    expect(missed).to.eql([]);
  });

  it('do not match other words that look alike', async () => {
    expect(strangers.length).to.be.at.least(40);
    const pairs = strangers.map(pairOf).flatMap(([one, other]): [string, string][] => [
      [one, other],
      [other, one],
      [one, plain(other)],
      [plain(one), other],
    ]);
    expect((await compare(pairs)).filter(({ isFound }) => isFound)).to.eql([]);
  });

  it('are not looked for when every sentence has them, in either spelling', async () => {
    for (const word of [...stopWords, ...stopWords.map(plain)]) expect(await stems(word), word).to.equal('');
    const [nothing] = await compare([['não está mais', 'não está mais']]);
    expect(nothing?.isFound).to.equal(false);
  });

  it('are the same word in any case, composed or not', async () => {
    const one = await stems('inscrições');
    for (const word of ['INSCRIÇÕES', 'inscrições'.normalize('NFD'), 'Inscricao']) {
      expect(await stems(word), word).to.equal(one);
    }
  });

  it('leave addresses and numbers findable as they were written', async () => {
    const written = ['joao.reis@uni.example', '123.456.789-09', 'https://uni.example/editais?a=1', '2024/2'];
    for (const { isFound, query } of await compare(written.map(text => [`Veja ${text} e responda.`, text]))) {
      expect(isFound, query).to.equal(true);
    }
  });

  it('find the text that they were taken from, whatever is in it', async () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('aeiosmn ãçõé-.&|!:*\'"\\😀')) });
    await fc.assert(
      fc.asyncProperty(text, async given => {
        const [found] = await compare([[`antes ${given} depois`, `${given} antes`]]);
        expect(found?.isFound).to.equal(true);
      }),
      { numRuns: 200, examples: [['..'], ['./'], ['...']] },
    );
  });
});
