import { LATE_PART } from './progress.ts';
import type { Backlog } from './store.ts';

/** Refuses new work while the work before it is already late, instead of letting all of it time out. */
export interface Pressure {
  isTooHigh(timeoutMs: number): Promise<boolean>;
  /** To be told of every job of the queue that ends: how fast they do tells how long the next would wait. */
  noteEnd(): void;
  stop(): void;
}

/** Only to guard the store's memory: what counts is how long the oldest runnable job has waited. */
const DEEPEST = 10_000;
const REFRESH_EVERY_MS = 250;
const INTEREST_MS = 1_000;
/** So far back goes what tells the pace, and so long and so many ends it takes to tell it. */
const PACE_OVER_MS = 20_000;
const PACE_FROM_MS = 2_000;
const PACE_FROM_ENDS = 5;

/**
 * Follows one queue's backlog while there is one, or requests for it; nobody is refused on a look that is not fresh.
 * Refused is who would have to wait for longer than a quarter of its time: because the oldest has waited so long already,
 * or at the pace at which jobs have ended since there is a backlog. Before that the pace tells who asked, not who works.
 * Turns that wait for their own conversation are in a worker's hands already, so they are no part of it.
 */
export function makePressure(backlog: () => Promise<Backlog>, now: () => number): Pressure {
  let seen: Backlog = { depth: 0, oldest: undefined };
  let seenAt = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  let busySince: number | undefined;
  const ends: number[] = [];
  const refresh = async () => {
    seen = await backlog();
    seenAt = now();
    busySince = seen.depth > 0 ? (busySince ?? seenAt) : undefined;
  };
  const estimateWaitMs = () => {
    const from = Math.max(busySince ?? seenAt, seenAt - PACE_OVER_MS);
    const ended = ends.filter(at => at > from).length;
    const isKnown = ended >= PACE_FROM_ENDS && seenAt - from >= PACE_FROM_MS;
    return isKnown ? (seen.depth * (seenAt - from)) / ended : 0;
  };
  const refreshOnce = () => {
    // A store that does not answer is refused elsewhere, as unavailable.
    refreshing ??= refresh()
      .catch(() => undefined)
      .finally(() => (refreshing = undefined));
    return refreshing;
  };
  const isHigh = (timeoutMs: number) => {
    const waitMs = Math.max(seenAt - (seen.oldest ?? seenAt), estimateWaitMs());
    return seen.depth >= DEEPEST || waitMs > timeoutMs * LATE_PART;
  };
  const timer = setInterval(() => {
    if (seen.depth > 0 || performance.now() - askedAt < INTEREST_MS) void refreshOnce();
  }, REFRESH_EVERY_MS).unref();
  return {
    async isTooHigh(timeoutMs) {
      askedAt = performance.now();
      if (isHigh(timeoutMs) || now() - seenAt > 2 * REFRESH_EVERY_MS) await refreshOnce();
      return isHigh(timeoutMs);
    },
    noteEnd() {
      ends.push(now());
      while ((ends[0] ?? Number.POSITIVE_INFINITY) < now() - PACE_OVER_MS) ends.shift();
    },
    stop: () => clearInterval(timer),
  };
}
