import { type CircuitBreakerPolicy, ConsecutiveBreaker, circuitBreaker, type Policy } from 'cockatiel';

const FAILURES_IN_A_ROW = 3;
const BREAKER_OPEN_MS = 10_000;

/** After several failures in a row, calls are skipped for BREAKER_OPEN_MS; then one call tries again. */
export function makeBreaker(failures: Policy): CircuitBreakerPolicy {
  return circuitBreaker(failures, {
    halfOpenAfter: BREAKER_OPEN_MS,
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
  });
}
