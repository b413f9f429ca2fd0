import { LATE_PART } from './progress.ts';
import type { Backlog } from './store.ts';

/** Refuses new work while the work before it is already late, instead of letting all of it time out. */
export interface Pressure {
  isTooHigh(timeoutMs: number): Promise<boolean>;
  stop(): void;
}

/** Only to guard the store's memory: what counts is how long the oldest runnable job has waited. */
const DEEPEST = 10_000;
const LOOK_EVERY_MS = 250;
const INTEREST_MS = 1_000;

/**
 * Follows one queue's backlog while there is one, or requests for it; nobody is refused on a look that is not fresh.
 * Turns that wait for their own conversation are in a worker's hands already, so they are no part of it.
 */
export function makePressure(backlog: () => Promise<Backlog>, now: () => number): Pressure {
  let seen: Backlog = { depth: 0, oldest: undefined };
  let seenAt = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  const look = async () => {
    seen = await backlog();
    seenAt = now();
  };
  const lookOnce = () => {
    // A store that does not answer is refused elsewhere, as unavailable.
    looking ??= look()
      .catch(() => undefined)
      .finally(() => (looking = undefined));
    return looking;
  };
  const isHigh = (timeoutMs: number) =>
    seen.depth >= DEEPEST || (seen.oldest !== undefined && seenAt - seen.oldest > timeoutMs * LATE_PART);
  const timer = setInterval(() => {
    if (seen.depth > 0 || performance.now() - askedAt < INTEREST_MS) void lookOnce();
  }, LOOK_EVERY_MS).unref();
  return {
    async isTooHigh(timeoutMs) {
      askedAt = performance.now();
      if (isHigh(timeoutMs) || now() - seenAt > 2 * LOOK_EVERY_MS) await lookOnce();
      return isHigh(timeoutMs);
    },
    stop: () => clearInterval(timer),
  };
}
