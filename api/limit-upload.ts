import type { IncomingMessage, ServerResponse } from 'node:http';

/*
 * Node calls back for each chunk of a chunked body, however small: bytes sent one by one take the process a hundred times
 * as long as the same bytes at once, also while the body of a refused request is read to its end.
 */

const MAX_SMALL_CHUNKS = 2_000;
const MIN_MEAN_BYTES = 64;
/** Time for the client to read the response. */
const CLOSE_AFTER_MS = 1_000;

/** Calls back once when the body comes in very small chunks, and reads no chunks after the response. */
export function limitUpload(
  request: IncomingMessage,
  response: ServerResponse,
  onSmallChunks: () => void,
): void {
  countChunks(request, onSmallChunks);
  response.once('finish', () => {
    // The rest of a body of known length costs little; then the connection can be used again.
    if (!request.complete && request.headers['transfer-encoding']) stopReading(request);
  });
}

function countChunks(request: IncomingMessage, onSmallChunks: () => void): void {
  let [chunks, bytes] = [0, 0];
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding) => {
    chunks += 1;
    bytes += chunk?.length ?? 0;
    if (chunks > MAX_SMALL_CHUNKS && bytes < chunks * MIN_MEAN_BYTES) {
      request.push = push;
      onSmallChunks();
    }
    return push(chunk, encoding);
  };
}

function stopReading({ socket }: IncomingMessage): void {
  socket.pause();
  setTimeout(() => socket.destroy(), CLOSE_AFTER_MS).unref();
}
