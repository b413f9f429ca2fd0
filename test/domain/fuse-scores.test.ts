import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Evidence, fuseScores, MEANING } from '../../workers/domain/retrieval/fuse-scores.ts';

const passage = fc.record({
  words: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 })).map(tenths => tenths / 10),
  likeness: fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined }),
});
const passages = fc.array(passage, { maxLength: 120 });
const fullMatch = fc.integer({ min: 0, max: 1_000 }).map(tenths => tenths / 10);

const orderOf = (all: readonly Evidence[], full: number) =>
  fuseScores(all, full)
    .map(({ score }, at) => ({ score, at }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ at }) => at);

describe('words and meaning in one score', () => {
  const cases: readonly [what: string, all: readonly Evidence[], full: number, order: readonly number[]][] = [
    [
      'words decide where no vectors are near',
      [
        { words: 1, likeness: undefined },
        { words: 3, likeness: undefined },
      ],
      2,
      [1, 0],
    ],
    [
      'meaning decides between equal words',
      [
        { words: 2, likeness: 0.7 },
        { words: 2, likeness: 0.8 },
      ],
      2,
      [1, 0],
    ],
    [
      'meaning decides where the knowledge has next to none of the words',
      [
        { words: 1, likeness: 0.2 },
        { words: 0, likeness: 0.6 },
      ],
      6,
      [1, 0],
    ],
    [
      'a full match by words stays before what is near and has none of them',
      [
        { words: 6, likeness: 0.2 },
        { words: 0, likeness: 0.9 },
      ],
      6,
      [0, 1],
    ],
    [
      'how high the cosines of a model are is all the same',
      [
        { words: 2, likeness: 0.9 },
        { words: 2, likeness: 0.91 },
        { words: 0, likeness: 0.89 },
      ],
      2,
      [1, 0, 2],
    ],
  ];
  for (const [what, all, full, order] of cases) {
    it(what, () => expect(orderOf(all, full)).to.deep.equal(order));
  }

  it('never puts a passage before one whose words fit better by more than the weight of meaning', () => {
    fc.assert(
      fc.property(passages, fullMatch, (all, full) => {
        const scores = fuseScores(all, full);
        for (const one of scores)
          for (const other of scores)
            if (one.words - other.words > MEANING) expect(one.score).to.be.greaterThan(other.score);
      }),
    );
  });

  it('keeps the order of words where every vector is as near as the others, and where there are none', () => {
    fc.assert(
      fc.property(passages, fullMatch, fc.constantFrom(undefined, 0.5), (all, full, likeness) => {
        const alike = all.map(({ words }) => ({ words, likeness }));
        const byWords = alike.map(({ words }, at) => ({ words, at })).toSorted((a, b) => b.words - a.words);
        expect(orderOf(alike, full).map(at => alike[at]?.words)).to.deep.equal(
          byWords.map(({ words }) => words),
        );
      }),
    );
  });

  it('gives numbers between none and a full match of both, whatever it is given', () => {
    fc.assert(
      fc.property(passages, fullMatch, (all, full) => {
        for (const { score, words, meaning } of fuseScores(all, full)) {
          expect(score).to.be.within(0, 1 + MEANING);
          expect(words).to.be.within(0, 1);
          expect(meaning).to.be.within(0, 1);
        }
      }),
    );
  });

  it('gives more to what is nearer, all else equal', () => {
    fc.assert(
      fc.property(passages, fullMatch, (all, full) => {
        const scores = fuseScores(all, full);
        for (const [at, one] of all.entries())
          for (const [other, { words, likeness }] of all.entries())
            if (words === one.words && (one.likeness ?? -2) >= (likeness ?? -2))
              expect(scores[at]?.score).to.be.at.least(scores[other]?.score ?? 0);
      }),
    );
  });
});
