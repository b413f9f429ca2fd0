import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  type Policy,
} from 'cockatiel';

const FAILURES_IN_A_ROW = 3;
const BREAKER_OPEN_MS = 10_000;

export type Breaker = Pick<CircuitBreakerPolicy, 'execute' | 'onBreak'>;

/**
 * After several failures in a row, calls are skipped for BREAKER_OPEN_MS; then one call tries again, and the others are
 * skipped until it has ended. Skipped calls reject with a BrokenCircuitError.
 */
export function makeBreaker(failures: Policy): Breaker {
  const breaker = circuitBreaker(failures, {
    halfOpenAfter: BREAKER_OPEN_MS,
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
  });
  return {
    onBreak: breaker.onBreak,
    execute: async (work, signal) => {
      // Otherwise it would wait for the call that tries again, which may take as long as a turn.
      if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
      return breaker.execute(work, signal);
    },
  };
}
