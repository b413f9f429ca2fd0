/** In bytes; so also an upper bound for the length of one text in a body. */
export const MAX_BODY_BYTES = 1_048_576;

/** The same in texts for callers. */
export const MAX_BODY_SIZE = '1 MiB';

export const MAX_DOCUMENT_BYTES = 16 * MAX_BODY_BYTES;
export const MAX_DOCUMENT_SIZE = '16 MiB';
/** In base64, which takes four characters for three bytes, with the other fields of the body. */
export const MAX_DOCUMENT_BODY_BYTES = 4 * Math.ceil(MAX_DOCUMENT_BYTES / 3) + 65_536;
