import type { CustomFetch } from 'openid-client';

/** Attack: six endless answers took 77 MB of `web` within 5 s. Those of real providers have some kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;

/** Asks the provider of accounts; an answer that is too long counts as none. */
export const fetchFromProvider: CustomFetch = async (address, options) => {
  const { headers, status, statusText, body } = await fetch(address, options as RequestInit);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES) throw new TypeError('the answer of the provider has more than 1 MiB');
  }
  return new Response(bytes > 0 ? Buffer.concat(pieces) : null, { headers, status, statusText });
};
