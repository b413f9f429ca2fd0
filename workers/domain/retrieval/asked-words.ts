import { foldedOf, isSpecific, wordsOf } from './folded-words.ts';

/** A folded word that is looked for, and how much is meant by it: 1 for what is asked now. */
export interface AskedWord {
  readonly word: string;
  readonly weight: number;
}

/** What a long question adds after these costs more than it finds. */
const MOST_CHARACTERS = 2_000;
const MOST_WORDS = 32;
const EARLIER = 0.5;
/** Read as one word by the index: addresses, numbers with dots. */
const address = /[^\s]+[.@/][^\s]*[\p{L}\p{N}]/gu;

/** Every word once, in the order in which they were said; what was asked before weighs less, the older the less. */
export function askedWordsOf(query: string, earlier: readonly string[]): AskedWord[] {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    const folded = foldedOf(text.slice(0, MOST_CHARACTERS));
    for (const word of [...wordsOf(folded).filter(isSpecific), ...(folded.match(address) ?? [])]) {
      if (!weights.has(word)) weights.set(word, weight);
    }
  };
  add(query, 1);
  for (const [back, text] of earlier.toReversed().entries()) add(text, EARLIER ** (back + 1));
  return [...weights].slice(0, MOST_WORDS).map(([word, weight]) => ({ word, weight }));
}
