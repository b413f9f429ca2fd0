import type { Token } from '../../../text/figures/tokens.ts';
import { isSpecific, stemOf } from '../../../text/words.ts';

/** The stem of a word that says what a text is about. */
export function contentStemOf({ type, text }: Token): string | undefined {
  return type === 'word' && text.length > 1 && isSpecific(text) ? stemOf(text) : undefined;
}
