import type { QueueName } from '../contract/queues.ts';
import type { Backlog } from './store.ts';

/** The progress of one queue; ages in milliseconds. */
export interface QueueProgress {
  readonly queue: QueueName;
  readonly depth: number;
  /** The number of jobs that workers have taken and not ended. */
  readonly active: number;
  /** Age of the oldest waiting job; undefined if there is none. */
  readonly oldestAgeMs: number | undefined;
  /** Time since a job of the queue ended; undefined if none has ended since this process started. */
  readonly sinceEndedMs: number | undefined;
  /** Whether jobs wait too long and none completes: no worker serves the queue, or all of them hang. */
  readonly isStuck: boolean;
  /** Replies since this process started that were found by polling, because the event was missed. */
  readonly polledReplies: number;
}

/**
 * A job is late after this fraction of its time limit: then new jobs are refused, and workers that complete none count as stuck.
 */
export const LATE_FRACTION = 1 / 4;

/** Computes the progress from the backlog and the time of the last end; all times on the store's clock. */
export function progressOf(
  { depth, oldest, active }: Backlog,
  endedAt: number | undefined,
  { now, timeoutMs }: { readonly now: number; readonly timeoutMs: number },
): Pick<QueueProgress, 'depth' | 'active' | 'oldestAgeMs' | 'sinceEndedMs' | 'isStuck'> {
  const ageOf = (at: number | undefined) => (at === undefined ? undefined : Math.max(now - at, 0));
  const [oldestAgeMs, sinceEndedMs] = [ageOf(oldest), ageOf(endedAt)];
  const late = timeoutMs * LATE_FRACTION;
  const isStuck = (oldestAgeMs ?? 0) > late && (sinceEndedMs ?? Number.POSITIVE_INFINITY) > late;
  return { depth, active, oldestAgeMs, sinceEndedMs, isStuck };
}
