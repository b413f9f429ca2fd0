import type { Db } from './connection.ts';
import { rowsOf, sql } from './rows-of.ts';

const AGGREGATION_BATCH_SIZE = 5_000;

/**
 * Adds deltas to the daily counts. Works as the owner, for all hosts, one process at a time; returns the number of
 * deltas.
 */
export async function aggregateReportDeltas(db: Db): Promise<number> {
  let aggregated = 0;
  for (;;) {
    const count = await db.transaction(async tx => {
      const [lock] = await rowsOf<{ taken: boolean }>(
        tx,
      )`select pg_try_advisory_xact_lock(${aggregationLock}) as taken`;
      if (!lock?.taken) return 0;
      const [result] = await rowsOf<{ count: number }>(
        tx,
      )`select fold_report_deltas(${AGGREGATION_BATCH_SIZE})::float8 as count`;
      return result?.count ?? 0;
    });
    aggregated += count;
    if (count < AGGREGATION_BATCH_SIZE) return aggregated;
  }
}

const aggregationLock = sql`hashtext('parley report folding')`;

/** Prevents the aggregation until the transaction ends, for changes of a host's time zone or opening hours. */
export async function lockAggregation(tx: Db): Promise<void> {
  await rowsOf(tx)`select pg_advisory_xact_lock(${aggregationLock})`;
}

/** Recounts a host without a time limit. Call it under `lockAggregation`. */
export async function recountReportDays(tx: Db, hostId: string): Promise<void> {
  await rowsOf(tx)`set local statement_timeout = 0`;
  await rowsOf(tx)`select recount_report_days(${hostId})`;
}
