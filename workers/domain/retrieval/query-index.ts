import { stemOf } from '../../../text/words.ts';
import { gramsOf } from './character-ngrams.ts';

/** A normalized word to rank by, in query order. */
export interface QueryTerm {
  readonly word: string;
  /** Its weight, at most 1. */
  readonly weight: number;
  /** Rarity of its stem among all readable chunks. */
  readonly rarity: number;
}

/** The match of a passage's word with the query. */
export interface WordHit {
  /** Index of its stem in the query, or -1. */
  readonly stem: number;
  /** Indexes of its 4-grams. */
  readonly grams: readonly number[];
  /** Number of its 4-grams. */
  readonly gramCount: number;
}

/** The stems, 4-grams and neighbouring stem pairs of the query, each with an index. */
export interface QueryIndex {
  /** Weight times rarity. */
  readonly stemWeights: readonly number[];
  /** Weight without rarity. */
  readonly gramWeights: readonly number[];
  readonly pairWeights: readonly number[];
  /** Index of the stem of what is counted in "quantos alunos", or -1. */
  readonly counted: number;
  hitOf(word: string): WordHit;
  /** Index of a pair of neighbouring stems. */
  pairOf(stem: number, next: number): number | undefined;
}

export function queryIndexOf(query: readonly QueryTerm[], countedNoun?: string): QueryIndex {
  const stems = new Map<string, number>();
  const grams = new Map<string, number>();
  const pairs = new Map<string, number>();
  const stemWeights: number[] = [];
  const gramWeights: number[] = [];
  const pairWeights: number[] = [];
  let before: { readonly stem: number; readonly weight: number } | undefined;
  for (const { word, weight, rarity } of query) {
    const stem = indexOf(stems, stemOf(word));
    raiseWeight(stemWeights, stem, weight * rarity);
    for (const gram of gramsOf(word)) raiseWeight(gramWeights, indexOf(grams, gram), weight);
    if (before)
      raiseWeight(pairWeights, indexOf(pairs, `${before.stem} ${stem}`), Math.min(before.weight, weight));
    before = { stem, weight };
  }
  const hits = new Map<string, WordHit>();
  return {
    counted: countedNoun === undefined ? -1 : (stems.get(stemOf(countedNoun)) ?? -1),
    stemWeights,
    gramWeights,
    pairWeights,
    pairOf: (stem, next) => pairs.get(`${stem} ${next}`),
    hitOf(word) {
      const known = hits.get(word);
      if (known) return known;
      const runs = gramsOf(word);
      const hit: WordHit = {
        stem: stems.get(stemOf(word)) ?? -1,
        grams: runs.flatMap(gram => grams.get(gram) ?? []),
        gramCount: runs.length,
      };
      hits.set(word, hit);
      return hit;
    },
  };
}

function raiseWeight(weights: number[], index: number, weight: number): void {
  weights[index] = Math.max(weight, weights[index] ?? 0);
}

function indexOf(indexes: Map<string, number>, term: string): number {
  const index = indexes.get(term) ?? indexes.size;
  indexes.set(term, index);
  return index;
}
