import { Gate } from '../../platform/gate.ts';
import type { ApiMiddleware } from '../context.ts';
import { tokenOf } from './authenticate.ts';

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
