/**
 * Counts tokens by a rule instead of a vocabulary: seven letters, three digits or two signs make one. On Portuguese
 * prose that is within a few per cent of o200k_base, and costs neither its megabytes nor its start-up.
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

/** The longest beginning of a text, in whole runs, that has at most so many tokens. */
export function firstTokens(text: string, most: number): string {
  let tokens = 0;
  for (const { 0: run, index } of text.matchAll(/(?<!\s)\s*\S+/g)) {
    tokens += tokenCount(run);
    if (tokens > most) return text.slice(0, index);
  }
  return text;
}
