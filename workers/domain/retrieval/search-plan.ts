import type { QueryWord } from '../../../text/query-words.ts';
import { stemOf } from '../../../text/words.ts';
import type { QueryTerm } from './query-index.ts';
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

/** How far a synonym stands for a word of the question: for one that the knowledge has, and for one that it lacks. */
const SYNONYM = 0.35;
const ONLY_SYNONYM = 0.7;
/** A word that the knowledge lacks is the rarest of all: what looks like it must not decide. */
const UNKNOWN = 0.5;

/**
 * Leaves out other words than the meant one where a list of synonyms says what that means: it is neither misspelt nor cut, and
 * `tempo` is no beginning of `temporada`.
 */
export function meantStemsOf(stems: readonly KnownStem[], queryWords: readonly QueryWord[]): KnownStem[] {
  const explained = new Set(queryWords.map(({ synonymOf }) => synonymOf));
  return stems.filter(
    ({ word, written, likeness }) =>
      likeness === 1 || !explained.has(word) || stemOf(written) === stemOf(word),
  );
}

/**
 * Plans the stems to fetch candidates by, so that a common word does not fetch a tenth of the knowledge: the rarest words
 * alone, while they have few chunks together; of the others, chunks that contain several. Synonyms count only if the knowledge
 * lacks the word itself.
 */
export function searchPlanOf(stems: readonly KnownStem[], queryWords: readonly QueryWord[]): SearchPlan {
  const queryWordOf = new Map(queryWords.map(word => [word.word, word]));
  const strengthOf = strengthsAmong(stems);
  const weights = new Map<string, number>();
  for (const { word, stem, likeness, chunks, total } of stems) {
    const asked = queryWordOf.get(word);
    const weight = asked ? asked.weight * strengthOf(asked) * likeness * rarityOf(chunks, total) : 0;
    if (weight > 0) weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  }
  const total = stems[0]?.total ?? 0;
  const needed = stems.filter(({ word }) => {
    const asked = queryWordOf.get(word);
    return asked && strengthOf(asked) > SYNONYM;
  });
  const probes = total <= MAX_ROWS || needed.length === 0 ? [...weights.keys()] : probesOf(needed, total);
  return { probes, stems: [...weights.keys()], weights: [...weights.values()] };
}

/**
 * Returns the terms that candidates are ranked by. A word and its synonyms are one concept, as rare as all of them together; words
 * that were run together are concepts of their own.
 */
export function termsOf(stems: readonly KnownStem[], queryWords: readonly QueryWord[]): QueryTerm[] {
  const total = stems[0]?.total ?? 0;
  const strengthOf = strengthsAmong(stems);
  const found = queryWords.flatMap(queryWord => {
    const strength = strengthOf(queryWord);
    return strength > 0 ? { ...queryWord, strength, spellings: spellingsOf(stems, queryWord.word) } : [];
  });
  const chunks = new Map<string, number>();
  for (const { word, synonymOf = word, strength, spellings } of found) {
    const having = (spellings[0]?.chunks ?? 0) * strength;
    chunks.set(synonymOf, having + (chunks.get(synonymOf) ?? 0));
  }
  return found.flatMap(({ word, weight, synonymOf, strength, spellings }) => {
    const concept = synonymOf ?? word;
    const rarity = rarityOf(chunks.get(concept) ?? 0, total);
    // A word of the question without a matching stem may still share 4-grams.
    if (spellings.length === 0)
      return synonymOf === undefined ? [{ word, weight: weight * UNKNOWN, rarity, concept, strength }] : [];
    return spellings.map(({ written, likeness, chunks: having }, at) => ({
      word: written,
      weight: weight * likeness,
      rarity: at === 0 ? rarity : rarityOf(having, total),
      concept: at === 0 ? concept : written,
      strength,
    }));
  });
}

/** The word itself, or what the knowledge has in its place: one spelling, or the words that were run together. */
function spellingsOf(stems: readonly KnownStem[], word: string): readonly KnownStem[] {
  const ofWord = stems.filter(stem => stem.word === word);
  return ofWord.filter(({ written }, at) => ofWord.findIndex(other => other.written === written) === at);
}

/** Approximates the score of a passage with every query word once. */
export function fullMatchOf(stems: readonly KnownStem[], queryWords: readonly QueryWord[]): number {
  const ofQuestion = termsOf(stems, queryWords).filter(({ strength }) => strength === 1);
  return ofQuestion.reduce((sum, { weight, rarity }) => sum + weight * rarity, 0);
}

function strengthsAmong(stems: readonly KnownStem[]): (word: QueryWord) => number {
  const known = new Set(stems.filter(({ likeness }) => likeness === 1).map(({ word }) => word));
  return ({ synonymOf, isInstead }) => {
    if (synonymOf === undefined) return 1;
    if (!known.has(synonymOf)) return ONLY_SYNONYM;
    return isInstead ? 0 : SYNONYM;
  };
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

/** Returns the first stems that together match few chunks, assuming independence. */
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
