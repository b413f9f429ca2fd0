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
      )`select aggregate_report_deltas(${AGGREGATION_BATCH_SIZE})::float8 as count`;
      return result?.count ?? 0;
    });
    aggregated += count;
    if (count < AGGREGATION_BATCH_SIZE) return aggregated;
  }
}

/** The key of earlier versions, which run beside this one during an update; `change_host` takes it for a recount. */
const aggregationLock = sql`hashtext('parley report folding')`;
