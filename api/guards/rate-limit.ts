import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { failure } from '../../queues/contract/failure.ts';
import type { ApiMiddleware } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';

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
