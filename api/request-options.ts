import { setMaxListeners } from 'node:events';
import type { Operation } from '../queues/contract/operation.ts';
import type { Ctx } from './context.ts';
import { hasLeft } from './guards/open-requests.ts';
import { refuseField } from './guards/validate.ts';

const usableKey = /^[\x21-\x7e]{1,255}$/;

/** The options of a request: the Idempotency-Key, and whether the client wants an asynchronous response. */
export function readRequestOptions(
  ctx: Ctx,
  operation: Operation,
): { idempotencyKey?: string; isAsync?: boolean } {
  const isAsync = operation.mayRespondAsync && prefersAsync(ctx.get('prefer'));
  // A GET can be repeated safely, and must return the current state.
  const key = operation.method === 'GET' ? {} : keyOf(ctx);
  return { ...key, ...(isAsync ? { isAsync } : {}) };
}

/** Whether the client wants the answer while it is generated. */
export function wantsStream(ctx: Ctx, { mayStream }: Operation): boolean {
  return mayStream === true && ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream';
}

/** Aborts if the connection closes before the response is sent. */
export function makeGoneSignal(ctx: Ctx): AbortSignal {
  const gone = new AbortController();
  // Each record of a list adds a listener.
  setMaxListeners(0, gone.signal);
  const noteClose = () => {
    if (!ctx.res.writableFinished) gone.abort();
  };
  // The client may have disconnected while its request waited for others.
  if (hasLeft(ctx)) noteClose();
  else ctx.res.once('close', noteClose);
  return gone.signal;
}

function keyOf(ctx: Ctx): { idempotencyKey?: string } {
  const key = ctx.req.headers['idempotency-key'];
  if (key === undefined) return {};
  if (typeof key === 'string' && usableKey.test(key)) return { idempotencyKey: key };
  const message = 'must be 1 to 255 visible ASCII characters';
  return refuseField('Idempotency-Key', 'format', message);
}

/** RFC 7240: comma-separated tokens with optional parameters. */
function prefersAsync(prefer: string): boolean {
  return prefer.split(',').some(part => part.split(';')[0]?.trim().toLowerCase() === 'respond-async');
}
