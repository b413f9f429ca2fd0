import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { Gate } from '../../platform/gate.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { ApiMiddleware } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';
import { tokenOf } from './authenticate.ts';

/** Limits the requests per token in this process; 0 disables the limit. */
export function makeRateLimit(perMinute: number): ApiMiddleware {
  if (perMinute === 0) return (_ctx, next) => next();
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async (ctx, next) => {
    const full = await limiter.consume(ctx.state.token?.id ?? '').then(
      () => undefined,
      (state: RateLimiterRes) => state,
    );
    if (!full) return next();
    ctx.set('Retry-After', String(Math.max(1, Math.ceil(full.msBeforeNext / 1_000))));
    throw new RefusalError(failure('too-many-requests'));
  };
}

/** So many requests begin in one round of the event loop: each needs a millisecond of it or two. */
const MAX_BEGUN = 8;

/**
 * Requests that arrive in the same moment begin round-robin over the tokens, a few in each round of the event loop:
 * otherwise one of another token would wait for all that arrived before it.
 */
export function makeRequestPace(): ApiMiddleware {
  const gate = new Gate({ maxTotal: MAX_BEGUN, maxPerKey: MAX_BEGUN });
  return async (ctx, next) => {
    const entry = { key: tokenOf(ctx).id };
    const turn = gate.enter(entry);
    if (turn) await turn;
    setImmediate(() => gate.leave(entry));
    return next();
  };
}
