import { randomUUID } from 'node:crypto';
import type { Step } from './context.ts';

const sane = /^[\w.:-]{1,128}$/;

/** Every answer carries the id under which our logs know the request; a caller may bring its own. */
export function requestId(now: () => number): Step {
  return (ctx, next) => {
    const given = ctx.get('x-request-id');
    ctx.state.requestId = sane.test(given) ? given : randomUUID();
    ctx.state.arrivedAt = now();
    ctx.set('X-Request-Id', ctx.state.requestId);
    return next();
  };
}
