import { gramsOf } from './grams-of.ts';
import { stemOf } from './stem-of.ts';

/** A word to rank by, folded, in the order in which the words were said. */
export interface QueryTerm {
  readonly word: string;
  /** How much was meant by it, 1 at most. */
  readonly meant: number;
  /** How rare its stem is among all that may be read. */
  readonly rarity: number;
}

/** What a word of a passage has in common with the query. */
export interface WordHit {
  /** The place of its stem among those of the query, or -1. */
  readonly stem: number;
  /** The places of its runs of letters. */
  readonly grams: readonly number[];
  /** How many runs it has in all. */
  readonly gramCount: number;
}

/** The query's stems, runs of letters and neighbouring stems, each with a place of its own. */
export interface QueryIndex {
  /** By how much was meant and how rare it is. */
  readonly stemWeights: readonly number[];
  /** By how much was meant alone. */
  readonly gramWeights: readonly number[];
  readonly pairWeights: readonly number[];
  hitOf(word: string): WordHit;
  /** The place of two neighbouring stems, given by theirs. */
  pairOf(stem: number, next: number): number | undefined;
}

export function queryIndexOf(query: readonly QueryTerm[]): QueryIndex {
  const stems = new Map<string, number>();
  const grams = new Map<string, number>();
  const pairs = new Map<string, number>();
  const stemWeights: number[] = [];
  const gramWeights: number[] = [];
  const pairWeights: number[] = [];
  let before: { readonly stem: number; readonly meant: number } | undefined;
  for (const { word, meant, rarity } of query) {
    const stem = placeOf(stems, stemOf(word));
    raise(stemWeights, stem, meant * rarity);
    for (const gram of gramsOf(word)) raise(gramWeights, placeOf(grams, gram), meant);
    if (before) raise(pairWeights, placeOf(pairs, `${before.stem} ${stem}`), Math.min(before.meant, meant));
    before = { stem, meant };
  }
  const hits = new Map<string, WordHit>();
  return {
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

function raise(weights: number[], place: number, weight: number): void {
  weights[place] = Math.max(weight, weights[place] ?? 0);
}

function placeOf(places: Map<string, number>, term: string): number {
  const place = places.get(term) ?? places.size;
  places.set(term, place);
  return place;
}
