import { expect } from 'chai';
import { spaceOf, vectorsIn } from '../../workers/domain/retrieval/vector-space.ts';

const answer = (...embeddings: readonly unknown[]) => ({
  data: embeddings.map((embedding, index) => ({ index, embedding })),
});

describe('the vectors of an answer', () => {
  it('are one a text, in the order of the texts, also where the answer has another', () => {
    expect(vectorsIn(answer([1, 0], [0.5, -2]), 2)).to.deep.equal([
      [1, 0],
      [0.5, -2],
    ]);
    const { data } = answer([1], [2]);
    expect(vectorsIn({ data: data.toReversed() }, 2)).to.deep.equal([[1], [2]]);
    expect(vectorsIn({ data: [{ embedding: [1] }] }, 1)).to.deep.equal([[1]]);
  });

  const unusable: readonly [what: string, given: unknown, texts: number][] = [
    ['nothing', undefined, 1],
    ['an empty object', {}, 1],
    ['too few', answer([1]), 2],
    ['too many', answer([1], [2]), 1],
    ['another length than the others', answer([1, 2], [1]), 2],
    ['no number', answer([1, null]), 1],
    ['not a number', answer([1, Number.NaN]), 1],
    ['without end', answer([Number.POSITIVE_INFINITY]), 1],
    ['text', answer('AAAA'), 1],
    ['empty', answer([]), 1],
    ['nothing but zeros', answer([0, 0, 1e-60]), 1],
    [
      'one place twice',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
      },
      2,
    ],
    [
      'a place beyond',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 7, embedding: [1] },
        ],
      },
      2,
    ],
    ['a place before', { data: [{ index: -1, embedding: [1] }] }, 1],
    ['more numbers than can be kept', answer(Array.from({ length: 16_001 }, () => 1)), 1],
  ];
  for (const [what, given, texts] of unusable) {
    it(`are none where one is ${what}`, () => expect(vectorsIn(given, texts)).to.equal(undefined));
  }

  it('are of one space with those of the same model and length alone', () => {
    const space = spaceOf('m', [1, 2]);
    expect(spaceOf('m', [3, 4])).to.equal(space);
    expect([spaceOf('m', [1]), spaceOf('n', [1, 2])]).to.not.include(space);
  });
});
