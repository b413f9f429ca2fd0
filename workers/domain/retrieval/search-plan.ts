import type { AskedWord } from './asked-words.ts';
import { type QueryTerm, rarityOf } from './rank-passages.ts';

/** A stem that knowledge has, for a word of the query. */
export interface KnownStem {
  readonly word: string;
  readonly stem: string;
  /** 1, or less where it is not the word's own but the one most like it. */
  readonly likeness: number;
  /** How many chunks have it, of how many that may be read. */
  readonly chunks: number;
  readonly total: number;
}

export interface SearchPlan {
  /** One stem, or several with a blank between: a chunk that has all of them is a candidate. */
  readonly probes: readonly string[];
  readonly stems: readonly string[];
  readonly weights: readonly number[];
}

/** So many rows are compared at most, about. */
const MOST_ROWS = 400;
const MOST_PROBES = 8;

/**
 * What to fetch, so that a common word never brings a tenth of all knowledge along: the rarest words alone, as long
 * as they have few chunks together; of the others, those chunks that have several.
 */
export function searchPlanOf(known: readonly KnownStem[], asked: readonly AskedWord[]): SearchPlan {
  const weightOf = new Map(asked.map(({ word, weight }) => [word, weight]));
  const weights = new Map<string, number>();
  for (const { word, stem, likeness, chunks, total } of known) {
    const weight = (weightOf.get(word) ?? 0) * likeness * rarityOf(chunks, total);
    weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  }
  return { probes: probesOf(known), stems: [...weights.keys()], weights: [...weights.values()] };
}

/** The words that candidates are ranked by: what is written most like a word stands for it where nothing has it. */
export function termsOf(known: readonly KnownStem[], asked: readonly AskedWord[]): QueryTerm[] {
  const total = known[0]?.total ?? 0;
  return asked.flatMap(({ word, weight }) => {
    const stems = known.filter(stem => stem.word === word);
    if (stems.length === 0) return [{ word, weight: weight * rarityOf(0, total) }];
    return stems.map(({ stem, likeness, chunks }) => ({
      word: likeness < 1 ? stem : word,
      weight: weight * likeness * rarityOf(chunks, total),
    }));
  });
}

function probesOf(known: readonly KnownStem[]): string[] {
  const chunksOf = new Map(known.map(({ stem, chunks }) => [stem, chunks]));
  const total = known[0]?.total ?? 0;
  const rarestFirst = [...chunksOf.keys()].toSorted(
    (a, b) => (chunksOf.get(a) ?? 0) - (chunksOf.get(b) ?? 0),
  );
  let rows = 0;
  const alone = rarestFirst.filter(
    stem => (rows += chunksOf.get(stem) ?? 0) <= MOST_ROWS || total <= MOST_ROWS,
  );
  const common = rarestFirst.slice(alone.length, alone.length + MOST_PROBES);
  const together = common.flatMap((_, at) => togetherFrom(common.slice(at), chunksOf, total));
  const last = alone.length === 0 && rarestFirst[0] !== undefined ? [rarestFirst[0]] : [];
  return [...new Set([...alone, ...together, ...last])].slice(0, alone.length + MOST_PROBES);
}

/** As many of the stems, from the first on, as leave few chunks that have them all; words seldom meet by chance alone. */
function togetherFrom(
  stems: readonly string[],
  chunksOf: ReadonlyMap<string, number>,
  total: number,
): string[] {
  let expected = total;
  const taken: string[] = [];
  for (const stem of stems) {
    taken.push(stem);
    expected *= (chunksOf.get(stem) ?? 0) / total;
    if (expected <= MOST_ROWS / 4) break;
  }
  return taken.length > 1 ? [taken.join(' ')] : [];
}
