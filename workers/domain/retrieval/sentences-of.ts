import { foldedOf, isSpecific, wordsOf } from './folded-words.ts';

export interface Sentence {
  /** Its specific words, folded. */
  readonly words: readonly string[];
  readonly hasNumber: boolean;
}

/** The sentences of a passage that say anything; a line of a list or a table is one, too. */
export function sentencesOf(text: string): Sentence[] {
  return foldedOf(text)
    .split(/(?<=[.!?;])\s+|\n+/)
    .map(sentence => ({ words: wordsOf(sentence).filter(isSpecific), hasNumber: /\d/.test(sentence) }))
    .filter(({ words }) => words.length > 0);
}
