import { expect } from 'chai';
import { coverageOf } from '../../workers/domain/retrieval/rank-passages.ts';
import { mergeRewritten, rewrittenOf } from '../../workers/domain/retrieval/rewritten-question.ts';

describe('a question in other words', () => {
  const found = (letter: string, count: number, coverage: number) => ({
    chunks: Array.from({ length: count }, (_, at) => ({ chunkId: `${letter}${at}` })),
    coverage,
  });
  const merge = (before: ReturnType<typeof found>, rewritten: ReturnType<typeof found>, limit = 10) =>
    mergeRewritten(before, rewritten, limit)
      .map(({ chunkId }) => chunkId)
      .join(' ');

  it('finds three in ten of the passages, behind the first of those that were found before', () => {
    expect(merge(found('a', 10, 0.1), found('b', 10, 0.9))).to.equal('a0 b0 a1 b1 a2 b2 a3 a4 a5 a6');
    expect(merge(found('a', 2, 0.1), found('b', 10, 0.9))).to.equal('a0 b0 a1 b1 b2');
    expect(merge(found('a', 3, 0.1), found('a', 3, 0.9))).to.equal('a0 a1 a2');
    expect(merge(found('a', 1, 0.1), found('b', 1, 0.9), 1)).to.equal('a0');
  });

  it('changes nothing where no more of it is found than of the question', () => {
    expect(merge(found('a', 4, 0.3), found('b', 4, 0.3))).to.equal('a0 a1 a2 a3');
  });

  it('is none where a model writes nothing, or an essay', () => {
    expect([rewrittenOf(' \n'), rewrittenOf('a'.repeat(301))]).to.deep.equal([undefined, undefined]);
    expect(rewrittenOf('Onde fica\no estacionamento?')).to.equal('Onde fica o estacionamento?');
  });

  it('is asked for by the share of the words that a passage has, rare ones first', () => {
    const terms = [
      { word: 'campus', weight: 1, rarity: 1 },
      { word: 'possante', weight: 1, rarity: 3 },
    ];
    expect(coverageOf(terms, 'O campus abre às 7h.')).to.equal(0.25);
    expect(coverageOf(terms, 'Nada disso.')).to.equal(0);
  });
});
