import { countPassageTerms, type PassageCounts, type TermCounts } from './passage-reading.ts';
import { type QueryTerm, queryIndexOf } from './query-index.ts';
import { sentencesOf } from './sentences-of.ts';

/*
 * Four readings of a passage, each a sum over what it shares with the query, weighted by how rare that is (BM25):
 * its stems, its runs of four letters (for forms that the stemmer takes apart, compounds and misspellings), its pairs
 * of neighbouring stems, and the one sentence that fits best, for an answer stands in one place. Where a number, a
 * date or a price is asked for, that sentence should have one. How rare a stem is, the caller knows of all that may
 * be read; runs and pairs are compared among the candidates alone.
 */

const STEMS = 1;
const GRAMS = 0.3;
const PAIRS = 0.5;
const SENTENCE = 0.5;
const WITH_NUMBER = 1.5;

export interface RankedQuery {
  readonly terms: readonly QueryTerm[];
  readonly asksForNumber: boolean;
}

/** How well each passage fits; only to be compared with one another. */
export function rankPassages({ terms, asksForNumber }: RankedQuery, passages: readonly string[]): number[] {
  const query = queryIndexOf(terms);
  const read = passages.map(text => countPassageTerms(sentencesOf(text), query));
  const stems = scorer(
    query.stemWeights,
    read.map(passage => passage.stems),
  );
  const grams = scorer(
    ...amongCandidates(
      query.gramWeights,
      read.map(passage => passage.grams),
    ),
  );
  const pairs = scorer(
    ...amongCandidates(
      query.pairWeights,
      read.map(passage => passage.pairs),
    ),
  );
  const sentence = scorer(
    query.stemWeights,
    read.flatMap(passage => passage.sentences),
  );
  const bestSentence = (passage: PassageCounts) =>
    passage.sentences.reduce((best, of) => {
      return Math.max(best, sentence(of) * (asksForNumber && of.hasNumber ? WITH_NUMBER : 1));
    }, 0);
  return read.map(
    passage =>
      STEMS * stems(passage.stems) +
      GRAMS * grams(passage.grams) +
      PAIRS * pairs(passage.pairs) +
      SENTENCE * bestSentence(passage),
  );
}

/** How rare what `having` of `all` have is. */
export function rarityOf(having: number, all: number): number {
  return Math.log(1 + (Math.max(all - having, 0) + 0.5) / (having + 0.5));
}

function amongCandidates(
  meant: readonly number[],
  texts: readonly TermCounts[],
): [number[], readonly TermCounts[]] {
  const having = (term: number) => texts.filter(({ counts }) => (counts[term] ?? 0) > 0).length;
  return [meant.map((weight, term) => weight * rarityOf(having(term), texts.length)), texts];
}

const SATURATION = 1.2;
const BY_LENGTH = 0.75;

/** BM25 among these texts. */
function scorer(weights: readonly number[], texts: readonly TermCounts[]): (text: TermCounts) => number {
  const mean = texts.reduce((sum, { size }) => sum + size, 0) / (texts.length || 1) || 1;
  return ({ counts, size }) => {
    const dampening = SATURATION * (1 - BY_LENGTH + (BY_LENGTH * size) / mean);
    return counts.reduce((sum, count, term) => {
      return sum + ((weights[term] ?? 0) * count * (SATURATION + 1)) / (count + dampening);
    }, 0);
  };
}
