import type { IncomingMessage } from 'node:http';
import { makeChunkCounter } from '../platform/small-chunks.ts';
import type { ApiMiddleware } from './context.ts';

/** Calls back once when the body comes in very small chunks; Node calls `push` for each chunk of a chunked body. */
export function watchChunks(request: IncomingMessage, onSmallChunks: () => void): void {
  const comesInSmallChunks = makeChunkCounter();
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding) => {
    if (comesInSmallChunks(chunk?.length ?? 0)) {
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
