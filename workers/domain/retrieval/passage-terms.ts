import { foldedOf, isSpecific, wordsOf } from './folded-words.ts';
import { stemOf } from './stem-of.ts';

/** How often each term is there, and how many there are in all. */
export interface Counted {
  readonly counts: ReadonlyMap<string, number>;
  readonly size: number;
}

export interface PassageTerms {
  readonly stems: Counted;
  readonly grams: Counted;
  /** Two stems that stand side by side, but for unspecific words between. */
  readonly pairs: Counted;
  readonly sentences: readonly Counted[];
}

const GRAM = 4;

export function passageTermsOf(text: string): PassageTerms {
  const sentences = foldedOf(text)
    .split(/(?<=[.!?;])\s+|\n+/)
    .map(sentence => wordsOf(sentence).filter(isSpecific))
    .filter(words => words.length > 0);
  const words = sentences.flat();
  const stems = words.map(stemOf);
  return {
    stems: counted(stems),
    grams: counted(words.flatMap(gramsOf)),
    pairs: counted(pairsOf(stems)),
    sentences: sentences.map(sentence => counted(sentence.map(stemOf))),
  };
}

/** The runs of four letters in a word, its ends marked. */
export function gramsOf(word: string): string[] {
  const marked = `_${word}_`;
  if (marked.length <= GRAM) return [marked];
  return Array.from({ length: marked.length - GRAM + 1 }, (_, at) => marked.slice(at, at + GRAM));
}

export function pairsOf(stems: readonly string[]): string[] {
  return stems.slice(1).map((stem, at) => `${stems[at]} ${stem}`);
}

function counted(terms: readonly string[]): Counted {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { counts, size: terms.length };
}
