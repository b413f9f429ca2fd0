import type { QueryTerm } from './query-index.ts';
import type { QueryWord } from './query-words.ts';
import { rarityOf } from './rank-passages.ts';

/** A stem in the knowledge that matches a word of the query. */
export interface KnownStem {
  readonly word: string;
  /** The word itself, or the most similar spelling in the knowledge. */
  readonly written: string;
  readonly stem: string;
  /** Similarity of the spelling: 1 for the word itself. */
  readonly likeness: number;
  /** Chunks that contain it, out of `total` readable ones. */
  readonly chunks: number;
  readonly total: number;
}

export interface SearchPlan {
  /** One stem, or several separated by blanks: chunks that contain all of them are candidates. */
  readonly probes: readonly string[];
  readonly stems: readonly string[];
  readonly weights: readonly number[];
}

/** Approximate limit of compared rows. */
const MAX_ROWS = 400;
const MAX_PROBES = 8;

/**
 * The stems to fetch candidates by, so that a common word does not fetch a tenth of the knowledge: the rarest words
 * alone, while they have few chunks together; of the others, chunks that contain several.
 */
export function searchPlanOf(stems: readonly KnownStem[], queryWords: readonly QueryWord[]): SearchPlan {
  const queryWordOf = new Map(queryWords.map(word => [word.word, word]));
  const weights = new Map<string, number>();
  for (const { word, stem, likeness, chunks, total } of stems) {
    const weight = (queryWordOf.get(word)?.weight ?? 0) * likeness * rarityOf(chunks, total);
    weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  }
  const total = stems[0]?.total ?? 0;
  const literal = stems.filter(({ word }) => queryWordOf.get(word)?.isLiteral);
  const probes = total <= MAX_ROWS || literal.length === 0 ? [...weights.keys()] : probesOf(literal, total);
  return { probes, stems: [...weights.keys()], weights: [...weights.values()] };
}

/** The terms that candidates are ranked by. */
export function termsOf(stems: readonly KnownStem[], queryWords: readonly QueryWord[]): QueryTerm[] {
  const total = stems[0]?.total ?? 0;
  return queryWords.flatMap(({ word, weight, isLiteral }) => {
    const [stem] = stems.filter(of => of.word === word);
    if (stem)
      return [{ word: stem.written, weight: weight * stem.likeness, rarity: rarityOf(stem.chunks, total) }];
    // A word without a matching stem may still share 4-grams.
    return isLiteral ? [{ word, weight, rarity: rarityOf(0, total) }] : [];
  });
}

/** Approximate score of a passage with every query word once. */
export function fullMatchOf(stems: readonly KnownStem[], queryWords: readonly QueryWord[]): number {
  const literal = queryWords.filter(({ isLiteral }) => isLiteral);
  return termsOf(stems, literal).reduce((sum, { weight, rarity }) => sum + weight * rarity, 0);
}

function probesOf(stems: readonly KnownStem[], total: number): string[] {
  const chunksOf = new Map(stems.map(({ stem, chunks }) => [stem, chunks]));
  const rarestFirst = [...chunksOf.keys()].toSorted(
    (a, b) => (chunksOf.get(a) ?? 0) - (chunksOf.get(b) ?? 0),
  );
  let rows = 0;
  const alone = rarestFirst.filter(stem => (rows += chunksOf.get(stem) ?? 0) <= MAX_ROWS);
  const common = rarestFirst.slice(alone.length, alone.length + MAX_PROBES);
  const together = common.map((_, at) => togetherFrom(common.slice(at), chunksOf, total)).filter(Boolean);
  const [rarest = ''] = rarestFirst;
  return [...new Set([...alone, ...together, ...(alone.length > 0 ? [] : [rarest])])];
}

/** The first stems that together match few chunks, assuming independence. */
function togetherFrom(
  stems: readonly string[],
  chunksOf: ReadonlyMap<string, number>,
  total: number,
): string {
  let expected = total;
  const taken: string[] = [];
  for (const stem of stems) {
    taken.push(stem);
    expected *= (chunksOf.get(stem) ?? 0) / total;
    if (expected <= MAX_ROWS / 4) break;
  }
  return taken.length > 1 ? taken.join(' ') : '';
}
