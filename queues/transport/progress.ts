import type { Backlog } from './store.ts';

/** How one queue is getting on; ages in milliseconds. */
export interface QueueProgress {
  readonly queue: string;
  readonly depth: number;
  /** Of the oldest job that could run and has not begun; undefined when there is none. */
  readonly oldestAgeMs: number | undefined;
  /** Since any job of the queue was heard to end; undefined when none has been since this process began. */
  readonly sinceEndedMs: number | undefined;
  /** Work waits for longer than it should and none is being done: nobody serves the queue, or whoever does is stuck. */
  readonly isStuck: boolean;
  /** Replies since this process began that no event brought, only a look at the job. */
  readonly sweptReplies: number;
}

/** Seconds that tell a quick answer from a slow one, up to a request's own limit: how durations are counted. */
export const DURATION_BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60];

/** A job that waits for this part of its time limit is late: new work is refused, and workers that end nothing are stuck. */
export const LATE_PART = 1 / 4;

/** What a backlog and the last end tell; all times on the store's clock. */
export function progressOf(
  { depth, oldest }: Backlog,
  endedAt: number | undefined,
  { now, timeoutMs }: { readonly now: number; readonly timeoutMs: number },
): Pick<QueueProgress, 'depth' | 'oldestAgeMs' | 'sinceEndedMs' | 'isStuck'> {
  const ageOf = (at: number | undefined) => (at === undefined ? undefined : Math.max(now - at, 0));
  const [oldestAgeMs, sinceEndedMs] = [ageOf(oldest), ageOf(endedAt)];
  const late = timeoutMs * LATE_PART;
  const isStuck = (oldestAgeMs ?? 0) > late && (sinceEndedMs ?? Number.POSITIVE_INFINITY) > late;
  return { depth, oldestAgeMs, sinceEndedMs, isStuck };
}
