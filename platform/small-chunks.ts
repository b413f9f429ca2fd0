/*
 * Each chunk of a body costs the process about as much as a kilobyte, however small it is: bytes sent one by one take it a
 * hundred times as long as the same bytes at once.
 */

const MAX_SMALL_CHUNKS = 2_000;
const MIN_MEAN_BYTES = 64;

/** Counts the chunks of one body. The function gets the size of each, and returns whether they are very small on average. */
export function makeChunkCounter(): (chunkBytes: number) => boolean {
  let [chunks, bytes] = [0, 0];
  return chunkBytes => {
    chunks += 1;
    bytes += chunkBytes;
    return chunks > MAX_SMALL_CHUNKS && bytes < chunks * MIN_MEAN_BYTES;
  };
}
