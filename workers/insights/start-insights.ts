import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { claimInsights, type InsightRun, releaseInsight } from '../../db/conversations/insights-due.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { TaskFailureLog } from '../../platform/outage-log.ts';
import { makeBackoff, repeat } from '../../platform/repeat.ts';
import { type InsightParts, MODEL_TIMEOUT_MS, makeInsight } from './make-insight.ts';

export interface InsightTask {
  /** Releases the running insights, so that another worker can claim them at once. */
  close(): Promise<void>;
}

export interface InsightTaskParts extends InsightParts {
  /** Claims the insights of all hosts. */
  readonly owner: Db;
  /** Parallel insights of this process; 0 disables them. */
  readonly concurrency: number;
  /** The pause after the last answer of a conversation. */
  readonly pauseMs: number;
  readonly onTaskFailed: TaskFailureLog;
}

const POLL_EVERY_MS = 500;
/** Between polls that fail. */
const MAX_PAUSE_MS = 10_000;
const LEASE_MS = MODEL_TIMEOUT_MS + 15_000;
const MAX_ATTEMPTS = 3;
const AFTER_BUG_MS = 60_000;

/**
 * Polls for conversations that are due, whichever worker answered them, and makes their insights in the background.
 */
export function startInsights(parts: InsightTaskParts): InsightTask {
  const { owner, concurrency, pauseMs, onTaskFailed } = parts;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let polling: Promise<void> | undefined;

  async function poll(): Promise<void> {
    const room = concurrency - running.size;
    if (room <= 0 || closing.signal.aborted) return;
    for (const run of await claimInsights(owner, { limit: room, leaseMs: LEASE_MS, pauseMs })) start(run);
  }
  function pollOnce(): Promise<void> {
    polling ??= poll().finally(() => {
      polling = undefined;
    });
    return polling;
  }
  function start(run: InsightRun): void {
    const ended = runInsight(parts, run, closing.signal).finally(() => {
      const wasFull = running.size === concurrency;
      running.delete(ended);
      // A failure is reported by the next regular poll.
      if (wasFull) void pollOnce().catch(() => undefined);
    });
    running.add(ended);
  }

  const { signal } = closing;
  const onError = (error: unknown) =>
    onTaskFailed(error, 'insight.claim_failed', 'failed to claim due insights');
  const backoff = makeBackoff(POLL_EVERY_MS, MAX_PAUSE_MS);
  if (concurrency > 0) void repeat(pollOnce, { everyMs: POLL_EVERY_MS, backoff, signal, onError });
  return {
    async close() {
      closing.abort();
      await polling?.catch(() => undefined);
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
    const counts = !stop.aborted && !isDatabaseUnavailable(err);
    const later = { afterMs: stop.aborted ? 0 : AFTER_BUG_MS, attempts: counts ? attempts + 1 : attempts };
    const next = later.attempts < MAX_ATTEMPTS ? later : undefined;
    // If this fails too, the lease expires.
    await withHost(db, hostId, scope => releaseInsight(scope, run, next)).catch(() => undefined);
  }
}
