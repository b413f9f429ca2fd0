const CLOSING = /^[.,;:!?…)\]}»”’]$/;
const STRAIGHT_QUOTE = /^["']$/;
const PUNCTUATION_ONLY = /^[\p{P}\s*_~#>|+-]*$/u;
const PAIRS = new Set(['()', '[]', '{}', '«»', '“”', '‘’', '""', "''"]);

/** The punctuation at this position that belongs to the text before it. */
export function closingPunctuationAt(text: string, start: number): { start: number; end: number } {
  let end = start;
  while (CLOSING.test(text.charAt(end)) || isClosingQuote(text, end)) end++;
  return { start, end };
}

/** A straight quote next to a following word is an opening quote. */
function isClosingQuote(text: string, at: number): boolean {
  return STRAIGHT_QUOTE.test(text.charAt(at)) && !/^[\p{L}\p{N}*_~`]/u.test(text.slice(at + 1, at + 3));
}

export function isPunctuationOnly(text: string): boolean {
  return PUNCTUATION_ONLY.test(text);
}

/** Appends punctuation to a text. Drops brackets whose content became an item, and commas and stops after a stop. */
export function appendClosing(text: string, closing: string): string {
  let joined = text;
  for (const sign of closing) {
    if (PAIRS.has(joined.slice(-1) + sign)) joined = joined.slice(0, -1).trimEnd();
    else if (!CLOSING.test(sign) && !STRAIGHT_QUOTE.test(sign)) joined += ` ${sign}`;
    else if (!('.,;:'.includes(sign) && /[.,;:!?…][*_~]*$/.test(joined))) joined += sign;
  }
  return joined;
}
