import { questionWordsOf } from './question-words.ts';

export interface SuggestionCandidate {
  readonly content: string;
  /** The words of the question that it follows. */
  readonly words: readonly string[];
}

const MAX_SUGGESTION = 8_000;
/** A greeting has fewer. */
const MIN_WORDS = 3;

/**
 * The message that answers its question best: it shares most of its words. Of those that share as many, the first. None if
 * all of them are as short as a greeting.
 */
export function chooseSuggestion<T extends SuggestionCandidate>(messages: readonly T[]): T | undefined {
  let best: { readonly message: T; readonly score: number } | undefined;
  for (const message of messages) {
    const { content, words } = message;
    if (content.length > MAX_SUGGESTION) continue;
    const own = new Set(questionWordsOf(content));
    if (own.size < MIN_WORDS) continue;
    const score = words.filter(word => own.has(word)).length / Math.max(words.length, 1);
    if (score > (best?.score ?? -1)) best = { message, score };
  }
  return best?.message;
}
