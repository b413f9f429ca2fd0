import { RoundRobin } from '../platform/round-robin.ts';
import { tokenOf } from './authenticate.ts';
import type { ApiMiddleware } from './context.ts';

/** So many requests begin in one round of the event loop: each needs a millisecond of it or two. */
const MAX_BEGUN = 8;

/**
 * Requests that arrive in the same moment begin round-robin over the tokens, a few in each round of the event loop:
 * otherwise one of another token would wait for all that arrived before it.
 */
export function makeRequestPace(): ApiMiddleware {
  const waiting = new RoundRobin<() => void>();
  let begun = 0;

  function beginSome(): void {
    begun = 0;
    while (begun < MAX_BEGUN && !waiting.isEmpty) {
      begun += 1;
      waiting.take()?.();
    }
    if (begun > 0) setImmediate(beginSome);
  }

  return async (ctx, next) => {
    if (begun === 0) setImmediate(beginSome);
    begun += 1;
    if (begun > MAX_BEGUN) await new Promise<void>(begin => waiting.add(tokenOf(ctx).id, begin));
    return next();
  };
}
