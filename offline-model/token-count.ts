/** In characters: within some per cent of o200k_base for Portuguese prose, without its memory and its start. */
const OF_TOKEN = 4.2;

export function countTokens(text: string): number {
  return Math.ceil(text.length / OF_TOKEN);
}

/** The whole words of a text that have at most so many tokens. */
export function truncateToTokens(text: string, most: number): string {
  const length = Math.floor(most * OF_TOKEN);
  return text.length <= length ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', length)));
}
