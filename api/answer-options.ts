import { failure } from '../queues/contract/failure.ts';
import type { Operation } from '../queues/contract/operation.ts';
import type { Ctx } from './context.ts';
import { RefusalError } from './envelope.ts';

const usableKey = /^[\x21-\x7e]{1,255}$/;

/** How the client wants its answer: once for all retries under one key, or not in this call. */
export function readAnswerOptions(
  ctx: Ctx,
  operation: Operation,
): { idempotencyKey?: string; isAsync?: boolean } {
  const isAsync = operation.mayRespondAsync && prefersAsync(ctx.get('prefer'));
  // What only reads may be asked again freely, and is to be looked at anew.
  const key = operation.method === 'GET' ? {} : keyOf(ctx);
  return { ...key, ...(isAsync ? { isAsync } : {}) };
}

/** Aborted when the connection is closed before the answer is out. */
export function makeGoneSignal(ctx: Ctx): AbortSignal {
  const gone = new AbortController();
  ctx.res.once('close', () => {
    if (!ctx.res.writableFinished) gone.abort();
  });
  return gone.signal;
}

function keyOf(ctx: Ctx): { idempotencyKey?: string } {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined) return {};
  if (typeof key === 'string' && usableKey.test(key)) return { idempotencyKey: key };
  const fields = [{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }];
  throw new RefusalError(failure('body-invalid', { fields }));
}

/** RFC 7240: preferences are tokens between commas, each with optional parameters. */
function prefersAsync(prefer: string): boolean {
  return prefer.split(',').some(part => part.split(';')[0]?.trim().toLowerCase() === 'respond-async');
}
