import { LATE_PART } from './progress.ts';
import type { Backlog } from './store.ts';

/** Load shedding: refuses new jobs while waiting ones are already late, instead of letting all of them time out. */
export interface Pressure {
  /** `arrivedAt` on the store's clock, like the backlog. */
  isTooHigh(request: { readonly timeoutMs: number; readonly arrivedAt: number }): Promise<boolean>;
  /** To be told of every job of the queue that ends: how fast they do tells how long the next would wait. */
  noteEnd(): void;
  stop(): void;
}

/** Protects the memory of the store only; the main criterion is the expected wait. */
const DEEPEST = 10_000;
const REFRESH_EVERY_MS = 250;
const ACTIVE_MS = 1_000;
/** The window of the throughput measurement, and the minimum time and number of jobs that it needs. */
const THROUGHPUT_WINDOW_MS = 20_000;
const MIN_THROUGHPUT_MS = 2_000;
const MIN_THROUGHPUT_JOBS = 5;

/**
 * Follows one queue's backlog while there is one, or requests for it; nobody is refused on a look that is not fresh.
 * Refused is who would have to wait for longer than a quarter of its time: because the oldest has waited so long already,
 * or at the pace at which jobs have ended since there is a backlog. Before that the pace tells who asked, not who works; and
 * who arrived before that came with a crowd, which is held as long as it has time, however long it takes to let it in.
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
    const from = Math.max(busySince ?? seenAt, seenAt - THROUGHPUT_WINDOW_MS);
    const ended = ends.filter(at => at > from).length;
    const isKnown = ended >= MIN_THROUGHPUT_JOBS && seenAt - from >= MIN_THROUGHPUT_MS;
    return isKnown ? (seen.depth * (seenAt - from)) / ended : 0;
  };
  const refreshOnce = () => {
    // Errors are ignored: during an outage, requests are refused as unavailable elsewhere.
    refreshing ??= refresh()
      .catch(() => undefined)
      .finally(() => (refreshing = undefined));
    return refreshing;
  };
  const isHigh = ({ timeoutMs, arrivedAt }: { timeoutMs: number; arrivedAt: number }) => {
    if (seen.depth >= DEEPEST) return true;
    if (arrivedAt < (busySince ?? seenAt) + PACE_FROM_MS) return false;
    const waitMs = Math.max(seenAt - (seen.oldest ?? seenAt), expectedWaitMs());
    return waitMs > timeoutMs * LATE_PART;
  };
  const timer = setInterval(() => {
    if (seen.depth > 0 || performance.now() - askedAt < ACTIVE_MS) void refreshOnce();
  }, REFRESH_EVERY_MS).unref();
  return {
    async isTooHigh(request) {
      askedAt = performance.now();
      if (isHigh(request) || now() - seenAt > 2 * LOOK_EVERY_MS) await lookOnce();
      return isHigh(request);
    },
    noteEnd() {
      ends.push(now());
      while ((ends[0] ?? Number.POSITIVE_INFINITY) < now() - THROUGHPUT_WINDOW_MS) ends.shift();
    },
    stop: () => clearInterval(timer),
  };
}
