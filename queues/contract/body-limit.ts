/** In bytes; so also an upper bound for the length of one text in a body. */
export const MAX_BODY_BYTES = 1_048_576;

/** The same in texts for callers. */
export const MAX_BODY_SIZE = '1 MiB';
