import { isDatabaseTrouble } from '../../db/connection.ts';
import { claimInsights, type InsightRun, releaseInsight } from '../../db/insights-due.ts';
import { withHost } from '../../db/with-hosts.ts';
import { repeat } from '../../platform/repeat.ts';
import { type InsightParts, MODEL_LIMIT_MS, makeInsight } from './make-insight.ts';

export interface InsightKeeper {
  /** Releases the running insights, so that another worker can claim them at once. */
  close(): Promise<void>;
}

export interface KeeperParts extends InsightParts {
  /** Parallel insights of this process; 0 disables them. */
  readonly concurrency: number;
}

const LOOK_EVERY_MS = 500;
const LEASE_MS = MODEL_LIMIT_MS + 15_000;
const MOST_TRIES = 3;
const AFTER_BUG_MS = 60_000;

/**
 * Polls for conversations that are due, whichever worker answered them, and makes their insights in the background.
 */
export function keepInsights(parts: KeeperParts): InsightKeeper {
  const { db, log, concurrency } = parts;
  const closing = new AbortController();
  const running = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let hasTrouble = false;

  async function look(): Promise<void> {
    const room = concurrency - running.size;
    if (room <= 0 || closing.signal.aborted) return;
    try {
      for (const run of await claimInsights(db, room, LEASE_MS)) start(run);
      hasTrouble = false;
    } catch (err) {
      if (!hasTrouble) log.warn({ event: 'insight.claim_failed', err }, 'failed to claim due insights');
      hasTrouble = true;
    }
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
      if (wasFull) void lookOnce();
    });
    running.add(made);
  }

  const { signal } = closing;
  if (concurrency > 0) void repeat(lookOnce, { everyMs: LOOK_EVERY_MS, signal, onError: () => {} });
  return {
    async close() {
      closing.abort();
      await looking;
      await Promise.all(running);
    },
  };
}

/** Never rejects. A failed run is retried later, by any worker, a limited number of times. */
async function runInsight(parts: KeeperParts, run: InsightRun, stop: AbortSignal): Promise<void> {
  const { db, log } = parts;
  const { hostId, conversationId, tries } = run;
  try {
    await makeInsight(parts, run, stop);
  } catch (err) {
    const line = { event: 'insight.run_failed', err, hostId, conversationId };
    if (!stop.aborted) log.error(line, 'failed to make an insight');
    const counts = !stop.aborted && !isDatabaseTrouble(err);
    const later = { afterMs: stop.aborted ? 0 : AFTER_BUG_MS, tries: counts ? tries + 1 : tries };
    const next = later.tries < MOST_TRIES ? later : undefined;
    // If this fails too, the lease expires.
    await withHost(db, hostId, scope => releaseInsight(scope, run, next)).catch(() => undefined);
  }
}
