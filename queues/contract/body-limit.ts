/** In bytes; it therefore also bounds the length of any text in a body. */
export const MAX_BODY_BYTES = 1_048_576;

/** The same limit in texts for callers. */
export const MAX_BODY_SIZE = '1 MiB';

export const MAX_DOCUMENT_BYTES = 16 * MAX_BODY_BYTES;
export const MAX_DOCUMENT_SIZE = '16 MiB';
/** An OpenAPI file of a REST tool. */
export const MAX_DESCRIPTION_BYTES = 5 * MAX_BODY_BYTES;
/** Base64 takes four characters for three bytes, and the body has other fields, too. */
export const MAX_DOCUMENT_BODY_BYTES = 4 * Math.ceil(MAX_DOCUMENT_BYTES / 3) + 65_536;
