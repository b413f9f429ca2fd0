/* Whether a line looks like `key: value` to a reader, even if a parser rejects it. */

const separator = /[:=\u2236\u2237\ua789\u2192\u21d2]|->(?=\s*\S)/;
/** Separators that people use where the surrounding lines make the meaning clear. */
const looseSeparator = /[:=|\t\u00bb\u2236\u2237\ua789\u2192\u21d2\u2794-\u27be]|->(?=\s*\S)|\s\p{Pd}+\s/u;
const notOfWords = /[^\p{L}\p{M}\p{N}_.-]+/u;
const address = /(?:https?|ftp):\/\/\S*/gi;
const timeOfDay = /(?<![\p{L}\p{N}_])\d{1,2}:\d{2}(?!\d)/gu;
const MAX_KEY_LENGTH = 60;
const MAX_KEY_WORDS = 4;

/** A key of a few words, followed by a separator. Colons in addresses and times do not count. */
export function isDeclaration(line: string): boolean {
  return hasShortKey(line, separator);
}

/** The same for a line between two rules: its key may be long, its separator a dash or a blank. */
export function isLooseDeclaration(line: string): boolean {
  if (hasShortKey(line, looseSeparator)) return true;
  const text = withoutColonsOfText(line);
  const at = text.search(separator);
  return wordsIn(text.slice(0, Math.max(at, 0))) > 0 && wordsIn(text.slice(at + 1)) > 0;
}

function hasShortKey(line: string, between: RegExp): boolean {
  const head = withoutColonsOfText(line.slice(0, MAX_KEY_LENGTH));
  const at = head.search(between);
  const words = wordsIn(head.slice(0, Math.max(at, 0)));
  return words > 0 && words <= MAX_KEY_WORDS;
}

function withoutColonsOfText(text: string): string {
  return text.replaceAll(address, 'address').replaceAll(timeOfDay, 'time');
}

function wordsIn(text: string): number {
  return text.split(notOfWords).filter(word => /[\p{L}\p{N}_]/u.test(word)).length;
}
