import { stemOf } from '../../../text/words.ts';

/** A normalized word to rank by, in query order. */
export interface QueryTerm {
  readonly word: string;
  /** Its weight, at most 1. */
  readonly weight: number;
  /** Rarity of its concept among all readable chunks. */
  readonly rarity: number;
  /** Terms of one concept count together; a term without one is a concept of its own. */
  readonly concept?: string;
  /** How far the term stands for its concept; 1 for the question's own word. */
  readonly strength?: number;
}

export interface WordHit {
  /** Index of its concept in the query, or -1. */
  readonly concept: number;
  readonly strength: number;
  readonly grams: readonly number[];
  readonly gramCount: number;
}

/** The concepts, 4-grams and pairs of neighbouring concepts of the query, each with an index. */
export interface QueryIndex {
  /** Weight times rarity. */
  readonly conceptWeights: readonly number[];
  /** Weight without rarity. */
  readonly gramWeights: readonly number[];
  readonly pairWeights: readonly number[];
  /** Index of the concept that "quantos alunos" counts, or -1. */
  readonly counted: number;
  hitOf(word: string): WordHit;
  /** Index of a pair of neighbouring concepts. */
  pairOf(concept: number, next: number): number | undefined;
}

export function queryIndexOf(query: readonly QueryTerm[], countedNoun?: string): QueryIndex {
  const concepts = new Map<string, number>();
  const stems = new Map<string, { readonly concept: number; readonly strength: number }>();
  const grams = new Map<string, number>();
  const mayBeGram = new Uint8Array(HASHES);
  const pairs = new Map<string, number>();
  const conceptWeights: number[] = [];
  const gramWeights: number[] = [];
  const pairWeights: number[] = [];
  let before: { readonly concept: number; readonly weight: number } | undefined;
  for (const { word, weight, rarity, concept: name = stemOf(word), strength = 1 } of query) {
    const concept = indexOf(concepts, name);
    const stem = stemOf(word);
    if ((stems.get(stem)?.strength ?? 0) < strength) stems.set(stem, { concept, strength });
    raiseWeight(conceptWeights, concept, weight * rarity);
    const whole = markEnds(word);
    for (let at = 0; at < gramCountOf(whole); at += 1) {
      raiseWeight(gramWeights, indexOf(grams, gramOf(whole, at)), weight * strength);
      mayBeGram[hashOf(whole, at)] = 1;
    }
    if (strength < 1) continue;
    if (before)
      raiseWeight(
        pairWeights,
        indexOf(pairs, `${before.concept} ${concept}`),
        Math.min(before.weight, weight),
      );
    before = { concept, weight };
  }
  const hits = new Map<string, WordHit>();
  return {
    counted: countedNoun === undefined ? -1 : (stems.get(stemOf(countedNoun))?.concept ?? -1),
    conceptWeights,
    gramWeights,
    pairWeights,
    pairOf: (concept, next) => pairs.get(`${concept} ${next}`),
    hitOf(word) {
      const known = hits.get(word);
      if (known) return known;
      const { concept = -1, strength = 0 } = stems.get(stemOf(word)) ?? {};
      const whole = markEnds(word);
      const gramCount = gramCountOf(whole);
      const found: number[] = [];
      for (let at = 0; at < gramCount; at += 1) {
        const gram = mayBeGram[hashOf(whole, at)] === 1 ? grams.get(gramOf(whole, at)) : undefined;
        if (gram !== undefined) found.push(gram);
      }
      const hit = { concept, strength, grams: found, gramCount };
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

/*
 * The 4-grams of a word, with its ends marked. Few of the candidates' thousands of words share one with the query, so a hash of
 * each is looked up first, which makes no text.
 */

const GRAM = 4;
/** Must be a power of two. */
const HASHES = 4_096;

function markEnds(word: string): string {
  return `_${word}_`;
}

function gramCountOf(whole: string): number {
  return Math.max(whole.length - GRAM + 1, 1);
}

function gramOf(whole: string, at: number): string {
  return whole.slice(at, at + GRAM);
}

function hashOf(whole: string, at: number): number {
  let hash = 0;
  for (let next = at; next < Math.min(at + GRAM, whole.length); next += 1)
    hash = (hash * 31 + whole.charCodeAt(next)) & (HASHES - 1);
  return hash;
}
