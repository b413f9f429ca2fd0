import type { IncomingMessage } from 'node:http';
import type { ApiMiddleware } from './context.ts';

/*
 * Node calls back for each chunk of a chunked body, however small: bytes sent one by one take the process a hundred times
 * as long as the same bytes at once.
 */

const MAX_SMALL_CHUNKS = 2_000;
const MIN_MEAN_BYTES = 64;

/** Calls back once when the body comes in very small chunks. */
export function watchChunks(request: IncomingMessage, onSmallChunks: () => void): void {
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

/**
 * Reads the rest of a body that was not needed, so that the connection can be used again. Node would do it, too, but its
 * chunks would not be counted then.
 */
export const readRest: ApiMiddleware = async (ctx, next) => {
  try {
    await next();
  } finally {
    if (!ctx.req.complete) ctx.req.resume();
  }
};
