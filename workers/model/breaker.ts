import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  type Policy,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';

const FAILURES_IN_A_ROW = 3;
const BREAKER_OPEN_MS = 10_000;

/** Keys come from callers, so they are not kept without limit. */
const MAX_BREAKERS = 1_000;

type Breaker = Pick<CircuitBreakerPolicy, 'execute'>;

/** A breaker for each key, such as a host: what one sends must not take the model from the others. */
export function makeBreakers(failures: Policy, onBreak?: (key: string) => void): (key: string) => Breaker {
  const breakers = new LRUCache<string, Breaker, undefined>({
    max: MAX_BREAKERS,
    memoMethod: key => makeBreaker(failures, onBreak && (() => onBreak(key))),
  });
  return key => breakers.memo(key);
}

/**
 * After several failures in a row, calls are skipped for BREAKER_OPEN_MS; then one call tries again, and the others are
 * skipped until it has ended. Skipped calls reject with a BrokenCircuitError.
 */
function makeBreaker(failures: Policy, onBreak: () => void = () => undefined): Breaker {
  const breaker = circuitBreaker(failures, {
    halfOpenAfter: BREAKER_OPEN_MS,
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
  });
  breaker.onBreak(onBreak);
  return {
    execute: async (work, signal) => {
      // Otherwise it would wait for the call that tries again, which may take as long as a turn.
      if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
      return breaker.execute(work, signal);
    },
  };
}
