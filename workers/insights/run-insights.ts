import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { claimInsights, type InsightRun, releaseInsight } from '../../db/conversations/insights-due.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { TaskFailureLog } from '../../platform/outage-log.ts';
import { makeBackoff, startRepeating } from '../../platform/repeat.ts';
import { type InsightParts, MODEL_TIMEOUT_MS, makeInsight } from './make-insight.ts';

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
 * Makes the insights of conversations that are due, whichever worker answered them. Ends with the signal, when those that run are released,
 * so that another worker can claim them at once.
 */
export async function runInsights(parts: InsightTaskParts, signal: AbortSignal): Promise<void> {
  const { owner, concurrency, pauseMs, onTaskFailed } = parts;
  if (concurrency === 0) return;
  const running = new Set<Promise<void>>();
  const claim = async () => {
    const limit = concurrency - running.size;
    const claimed = limit > 0 ? await claimInsights(owner, { limit, leaseMs: LEASE_MS, pauseMs }) : [];
    for (const run of claimed) {
      const ended = runInsight(parts, run, signal).finally(() => {
        if (running.size === concurrency) wake();
        running.delete(ended);
      });
      running.add(ended);
    }
  };
  const { wake, ended: claimedLast } = startRepeating(claim, {
    everyMs: POLL_EVERY_MS,
    backoff: makeBackoff(POLL_EVERY_MS, MAX_PAUSE_MS),
    signal,
    onError: error => onTaskFailed(error, 'insight.claim_failed', 'failed to claim due insights'),
  });
  await claimedLast;
  await Promise.all(running);
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
