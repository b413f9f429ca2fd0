/** Refuses new work while the work before it is already late, instead of letting all of it time out. */
export interface Pressure {
  isTooHigh(timeoutMs: number): boolean;
  stop(): void;
}

/** Only to guard the store's memory: what counts is how long the oldest runnable job has waited. */
const DEEPEST = 10_000;
const LOOK_EVERY_MS = 250;
const INTEREST_MS = 1_000;

/**
 * Follows one queue's backlog while there are requests for it. Turns that wait for their own conversation are
 * in a worker's hands already, so they are no part of it.
 */
export function makePressure(
  backlog: () => Promise<{ depth: number; oldest: number | undefined }>,
  now: () => number,
): Pressure {
  let depth = 0;
  let oldestAge = 0;
  let askedAt = 0;
  const look = async () => {
    if (Date.now() - askedAt > INTEREST_MS && depth === 0) return;
    const seen = await backlog();
    depth = seen.depth;
    oldestAge = seen.oldest === undefined ? 0 : now() - seen.oldest;
  };
  // A store that does not answer is refused elsewhere, as unavailable.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_EVERY_MS).unref();
  return {
    isTooHigh(timeoutMs) {
      askedAt = Date.now();
      return depth >= DEEPEST || oldestAge > timeoutMs / 4;
    },
    stop: () => clearInterval(timer),
  };
}
