import { randomUUID } from 'node:crypto';
import type { ApiMiddleware } from './context.ts';

const validId = /^[\w.:-]{1,128}$/;

/** Sets the request id for the response and the logs; callers may send one. */
export function makeRequestId(now: () => number): ApiMiddleware {
  return (ctx, next) => {
    const header = ctx.get('x-request-id');
    ctx.state.requestId = validId.test(header) ? header : randomUUID();
    ctx.state.arrivedAt = now();
    ctx.set('X-Request-Id', ctx.state.requestId);
    return next();
  };
}
