/**
 * Counts tokens by a rule instead of a vocabulary: seven letters, three digits or two punctuation characters are one
 * token. For Portuguese prose the result is within a few per cent of o200k_base, without its memory and start-up
 * time.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const characterRun of text.match(/\p{L}+|\d+|[^\s\p{L}\d]+|\n+/gu) ?? []) {
    const isDigits = characterRun >= '0' && characterRun < ':';
    const isLetters = !isDigits && characterRun.toLowerCase() !== characterRun.toUpperCase();
    tokens += Math.ceil(characterRun.length / (isLetters ? 7 : isDigits ? 3 : 2));
  }
  return tokens;
}

/** The longest prefix of a text, in whole runs, with at most `most` tokens. */
export function truncateToTokens(text: string, maxTokens: number): string {
  let tokens = 0;
  for (const { 0: run, index } of text.matchAll(/(?<!\s)\s*\S+/g)) {
    tokens += countTokens(run);
    if (tokens > maxTokens) return text.slice(0, index);
  }
  return text;
}
