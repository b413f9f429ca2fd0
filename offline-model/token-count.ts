/**
 * Counts tokens by a rule instead of a vocabulary: seven letters, three digits or two punctuation characters are one
 * token. For Portuguese prose the result is within a few per cent of o200k_base, without its memory and start-up
 * time.
 */
export function tokenCount(text: string): number {
  let tokens = 0;
  for (const run of text.match(/\p{L}+|\d+|[^\s\p{L}\d]+|\n+/gu) ?? []) {
    const isDigits = run >= '0' && run < ':';
    const isLetters = !isDigits && run.toLowerCase() !== run.toUpperCase();
    tokens += Math.ceil(run.length / (isLetters ? 7 : isDigits ? 3 : 2));
  }
  return tokens;
}

/** The longest prefix of a text, in whole runs, with at most `most` tokens. */
export function firstTokens(text: string, most: number): string {
  let tokens = 0;
  for (const { 0: run, index } of text.matchAll(/(?<!\s)\s*\S+/g)) {
    tokens += tokenCount(run);
    if (tokens > most) return text.slice(0, index);
  }
  return text;
}
