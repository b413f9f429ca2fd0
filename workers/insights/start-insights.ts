import { isDatabaseTrouble } from '../../db/connection.ts';
import { claimInsights, type InsightRun, releaseInsight } from '../../db/insights-due.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeBackoff, repeat } from '../../platform/repeat.ts';
import type { TaskFailureLog } from '../runtime/outage-logs.ts';
import { type InsightParts, MODEL_LIMIT_MS, makeInsight } from './make-insight.ts';

export interface InsightTask {
  /** Releases the running insights, so that another worker can claim them at once. */
  close(): Promise<void>;
}

export interface InsightTaskParts extends InsightParts {
  /** Parallel insights of this process; 0 disables them. */
  readonly concurrency: number;
  readonly onTaskFailed: TaskFailureLog;
}

const LOOK_EVERY_MS = 500;
/** Between looks that fail. */
const MAX_PAUSE_MS = 10_000;
const LEASE_MS = MODEL_LIMIT_MS + 15_000;
const MAX_ATTEMPTS = 3;
const AFTER_BUG_MS = 60_000;

/**
 * Polls for conversations that are due, whichever worker answered them, and makes their insights in the background.
 */
export function startInsights(parts: InsightTaskParts): InsightTask {
  const { db, concurrency, onTaskFailed } = parts;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const room = concurrency - running.size;
    if (room <= 0 || closing.signal.aborted) return;
    for (const run of await claimInsights(db, room, LEASE_MS)) start(run);
  }
  function lookOnce(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }
  function start(run: InsightRun): void {
    const made = runInsight(parts, run, closing.signal).finally(() => {
      const wasFull = running.size === concurrency;
      running.delete(made);
      // A failure is reported by the next regular look.
      if (wasFull) void lookOnce().catch(() => undefined);
    });
    running.add(made);
  }

  const { signal } = closing;
  const onError = (error: unknown) =>
    onTaskFailed(error, 'insight.claim_failed', 'failed to claim due insights');
  const backoff = makeBackoff(LOOK_EVERY_MS, MAX_PAUSE_MS);
  if (concurrency > 0) void repeat(lookOnce, { everyMs: LOOK_EVERY_MS, backoff, signal, onError });
  return {
    async close() {
      closing.abort();
      await looking?.catch(() => undefined);
      await Promise.all(running);
    },
  };
}

/** Never rejects. A failed run is retried later, by any worker, a limited number of times. */
async function runInsight(parts: InsightTaskParts, run: InsightRun, stop: AbortSignal): Promise<void> {
  const { db, onTaskFailed } = parts;
  const { hostId, conversationId, attempts } = run;
  try {
    await makeInsight(parts, run, stop);
  } catch (err) {
    const fields = { hostId, conversationId };
    if (!stop.aborted) onTaskFailed(err, 'insight.run_failed', 'failed to make an insight', fields);
    const counts = !stop.aborted && !isDatabaseTrouble(err);
    const later = { afterMs: stop.aborted ? 0 : AFTER_BUG_MS, attempts: counts ? attempts + 1 : attempts };
    const next = later.attempts < MAX_ATTEMPTS ? later : undefined;
    // If this fails too, the lease expires.
    await withHost(db, hostId, scope => releaseInsight(scope, run, next)).catch(() => undefined);
  }
}
