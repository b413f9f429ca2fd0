export const MAX_MODEL_LENGTH = 200;
export const MAX_FALLBACKS = 10;

/** The price of a million tokens, for prompt and answer together or for each kind, or of a minute of speech. */
export type ModelPrice =
  | number
  | { readonly input: number; readonly cachedInput?: number; readonly output: number }
  | { readonly minute: number };
