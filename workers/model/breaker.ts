import { BrokenCircuitError } from 'cockatiel';
import { LRUCache } from 'lru-cache';

const FAILURES_IN_A_ROW = 3;
const BREAKER_OPEN_MS = 10_000;

/** Keys come from callers, so they are not kept without limit. */
const MAX_BREAKERS = 1_000;

interface Breaker {
  execute<T>(work: () => Promise<T>): Promise<T>;
}

/** Each key, such as a host, has its own breaker: its requests must not take the model from others. Only failures count. */
export function makeBreakers(
  isFailure: (error: Error) => boolean,
  onBreak: (key: string) => void = () => {},
): (key: string) => Breaker {
  const breakers = new LRUCache<string, Breaker, undefined>({
    max: MAX_BREAKERS,
    memoMethod: key => makeBreaker(isFailure, () => onBreak(key)),
  });
  return key => breakers.memo(key);
}

/**
 * After several failures in a row, calls are skipped for BREAKER_OPEN_MS; then one call tries again, and the others are skipped
 * until it has ended. Skipped calls reject with a BrokenCircuitError. Cockatiel's own breaker reads the clock of the machine,
 * so it would stay open for as long as the clock is set back.
 */
function makeBreaker(isFailure: (error: Error) => boolean, onBreak: () => void): Breaker {
  let failures = 0;
  let openUntil = 0;
  let isTrying = false;

  function close(): void {
    failures = 0;
    openUntil = 0;
  }
  function noteFailure(): void {
    failures += 1;
    if (failures < FAILURES_IN_A_ROW || performance.now() < openUntil) return;
    openUntil = performance.now() + BREAKER_OPEN_MS;
    onBreak();
  }
  return {
    async execute(work) {
      const isOpen = failures >= FAILURES_IN_A_ROW;
      if (isOpen && (isTrying || performance.now() < openUntil)) throw new BrokenCircuitError();
      isTrying = isOpen;
      try {
        const result = await work();
        close();
        return result;
      } catch (error) {
        if (isFailure(error as Error)) noteFailure();
        // The model has answered, although this caller cannot use it.
        else if (isOpen) close();
        throw error;
      } finally {
        if (isOpen) isTrying = false;
      }
    },
  };
}
