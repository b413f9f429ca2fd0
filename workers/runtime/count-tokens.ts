/* A run this long is no word of any language, and the tokenizer's time grows with the square of a word's length. */
const longRun = /\S{400}|\s{400}/g;

/**
 * How many tokens a model reads of this text. The tokenizer is loaded once: it takes a quarter of a second and
 * more memory than all the rest here.
 */
export async function loadCountTokens(): Promise<(text: string) => number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // A text that names one of the model's own marks is text like any other.
  const options = { disallowedSpecial: new Set<string>() };
  return text =>
    text
      .replaceAll(longRun, '$&\0')
      .split('\0')
      .reduce((sum, piece) => sum + countTokens(piece, options), 0);
}
