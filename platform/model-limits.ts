/** The name of a model has at most so many characters. */
export const MAX_MODEL_LENGTH = 200;
/** The models that are asked when one fails. */
export const MAX_FALLBACKS = 10;

/** The price of a million tokens of prompt and answer, of each kind of them, or of a minute of speech. */
export type ModelPrice =
  | number
  | { readonly input: number; readonly cachedInput?: number; readonly output: number }
  | { readonly minute: number };
