import { repeat } from '../../platform/repeat.ts';
import { LATE_FRACTION } from './progress.ts';
import type { Request } from './request.ts';
import type { Backlog } from './store.ts';

/** Load shedding: refuses new jobs while waiting ones are already late, instead of letting all of them time out. */
export interface Pressure {
  /** `host`: set if the queue is in fair order. */
  isTooHigh(request: TimedRequest, host?: string): Promise<boolean>;
  stop(): void;
}

export interface PressureSources {
  backlog(): Promise<Backlog>;
  /** Counts the jobs of the queue that ended after this time, of all requesting processes. */
  countEnds(since: number): Promise<number>;
  /** Milliseconds on the store's clock. */
  now(): number;
}

/** Times in milliseconds; `arrivedAt` on the clock of the store. */
type TimedRequest = Pick<Request, 'arrivedAt' | 'timeoutMs'>;

/** Only protects the memory of the store; the main criterion is the expected wait. Each host has an equal part of it. */
const MAX_DEPTH = 10_000;
/**
 * One host may have this many waiting jobs while almost none ends, as with turns of a minute: a take passes over all of them
 * while the host is at its limit of slots.
 */
const MAX_DEPTH_WITHOUT_ENDS = 2_000;
const REFRESH_EVERY_MS = 250;
const ACTIVE_MS = 1_000;
/**
 * A refusal relies on data that are at most this many read durations old: in an overload, reading then takes a tenth of the time.
 */
const MAX_AGE_IN_READS = 10;
/** The data are also no older than this fraction of the request's time limit. */
const MAX_AGE_FRACTION = 1 / 40;
/** The window of the throughput measurement, and the minimum time and number of jobs that it needs. */
const THROUGHPUT_WINDOW_MS = 20_000;
const MIN_THROUGHPUT_MS = 2_000;
const MIN_THROUGHPUT_JOBS = 5;
/** Requests within this fraction of their time limit after the oldest waiting one belong to its rush. */
const RUSH_FRACTION = 1 / 20;
/** A request of a rush may wait for this part of its time limit; the rest is for its reply. */
const RUSH_LATE_FRACTION = 3 / 4;

/**
 * Polls the backlog of one queue while there is one or while requests arrive; refuses only on fresh data. A request is
 * refused if it would wait longer than `LATE_FRACTION` of its time limit: because the oldest job has waited that long, or
 * because of the backlog and the throughput. A rush may wait longer, since it ends: under a steady overload, the oldest
 * job is soon too old for new requests to be one rush with it. The throughput counts from the start of the backlog only:
 * without a backlog it measures the demand, not the capacity. Turns that wait for their conversation are already running,
 * so they are not part of the backlog.
 *
 * In a queue in fair order, a request waits for the jobs that go before it, and its host is refused for its own oldest job
 * only: a host of which nothing waits is never refused.
 */
export function makePressure({ backlog, countEnds, now }: PressureSources): Pressure {
  let backlogSeen: Backlog = { depth: 0, oldest: undefined, active: 0, hosts: new Map() };
  let seenAt = 0;
  let readMs = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  let busySince: number | undefined;
  let msPerJob = 0;
  let isStuck = false;
  const refresh = async () => {
    const startedAt = now();
    backlogSeen = await backlog();
    seenAt = now();
    readMs = seenAt - startedAt;
    busySince = backlogSeen.depth > 0 ? (busySince ?? seenAt) : undefined;
    msPerJob = await measureMsPerJob();
    isStuck = msPerJob === 0 && seenAt - (busySince ?? seenAt) >= MIN_THROUGHPUT_MS;
  };
  /** Returns 0 while the pace is unknown. */
  const measureMsPerJob = async () => {
    const from = Math.max(busySince ?? seenAt, seenAt - THROUGHPUT_WINDOW_MS);
    if (seenAt - from < MIN_THROUGHPUT_MS) return 0;
    const ended = await countEnds(from);
    return ended >= MIN_THROUGHPUT_JOBS ? (seenAt - from) / ended : 0;
  };
  const refreshOnce = () => {
    // Errors are ignored: during an outage, another place refuses requests as unavailable.
    refreshing ??= refresh()
      .catch(() => undefined)
      .finally(() => (refreshing = undefined));
    return refreshing;
  };
  const isHigh = (request: TimedRequest, host: string | undefined) =>
    isLate({ backlog: backlogSeen, seenAt, msPerJob, isStuck }, request, host);
  const isActive = () => backlogSeen.depth > 0 || performance.now() - askedAt < ACTIVE_MS;
  const stopping = new AbortController();
  const { signal } = stopping;
  void repeat(() => isActive() && refreshOnce(), { everyMs: REFRESH_EVERY_MS, signal, onError: () => {} });
  return {
    async isTooHigh(request, host) {
      askedAt = performance.now();
      const maxAgeMs = isHigh(request, host)
        ? Math.min(MAX_AGE_IN_READS * readMs, REFRESH_EVERY_MS, request.timeoutMs * MAX_AGE_FRACTION)
        : 2 * REFRESH_EVERY_MS;
      if (now() - seenAt >= maxAgeMs) await refreshOnce();
      return isHigh(request, host);
    },
    stop: () => stopping.abort(),
  };
}

interface BacklogSample {
  readonly backlog: Backlog;
  readonly seenAt: number;
  /** 0 while the pace is unknown. */
  readonly msPerJob: number;
  /** Whether jobs have waited long enough to measure a pace, but almost none has ended. */
  readonly isStuck: boolean;
}

/** Whether a request would wait too long. */
function isLate(
  { backlog, seenAt, msPerJob, isStuck }: BacklogSample,
  { arrivedAt, timeoutMs }: TimedRequest,
  host: string | undefined,
): boolean {
  const { depth, oldest, ahead } = queueAheadOf(backlog, host);
  const isFull = backlog.depth >= MAX_DEPTH;
  if (isFull && depth >= MAX_DEPTH / Math.max(backlog.hosts.size, 1)) return true;
  if (host !== undefined && isStuck && depth >= MAX_DEPTH_WITHOUT_ENDS) return true;
  const waitMs = ahead * msPerJob;
  const isRush = oldest !== undefined && arrivedAt - oldest < timeoutMs * RUSH_FRACTION;
  if (isRush) return waitMs > timeoutMs * RUSH_LATE_FRACTION;
  return Math.max(seenAt - (oldest ?? seenAt), waitMs) > timeoutMs * LATE_FRACTION;
}

/** The jobs that a request has to wait for. */
function queueAheadOf(
  backlog: Backlog,
  host: string | undefined,
): Pick<Backlog, 'depth' | 'oldest'> & { ahead: number } {
  if (host === undefined) return { ...backlog, ahead: backlog.depth };
  const own = backlog.hosts.get(host);
  if (!own) return { depth: 0, oldest: undefined, ahead: 0 };
  // Jobs of hosts at their limit of slots keep their places at the front, and others are taken before them.
  let ahead = 0;
  for (const { depth } of backlog.hosts.values()) ahead += Math.min(depth, own.depth + 1);
  return { ...own, ahead: Math.min(own.ahead, ahead) };
}
