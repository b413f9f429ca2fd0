/* No word of any language is this long, and the time of the tokenizer grows with the square of the word length. */
const longRun = /\S{400}|\s{400}/g;

/**
 * Loads the function that counts the tokens of a text. The tokenizer is loaded once: it takes a quarter of a second
 * and more memory than the rest of the process.
 */
export async function loadCountTokens(): Promise<(text: string) => number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // Special tokens of the model that occur in a text count as plain text.
  const options = { disallowedSpecial: new Set<string>() };
  return text =>
    text
      .replaceAll(longRun, '$&\0')
      .split('\0')
      .reduce((sum, piece) => sum + countTokens(piece, options), 0);
}
