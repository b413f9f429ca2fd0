import type { Db } from '../connection.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';

const AGGREGATION_BATCH_SIZE = 5_000;

/**
 * Adds deltas to the daily counts. Works as the owner, for all hosts, one process at a time; returns the number of
 * deltas.
 */
export async function aggregateReportDeltas(db: Db): Promise<number> {
  return aggregateInBatches(db, {
    lock: aggregationLock,
    aggregate: sql`aggregate_report_deltas(${AGGREGATION_BATCH_SIZE})`,
    batchSize: AGGREGATION_BATCH_SIZE,
  });
}

/** The key of earlier versions, which run beside this one during an update; `change_host` takes it for a recount. */
const aggregationLock = sql`hashtext('parley report folding')`;

interface Aggregation {
  /** One process at a time: two could lock the same days in different orders. */
  readonly lock: Fragment;
  /** Returns the number of deltas. */
  readonly aggregate: Fragment;
  readonly batchSize: number;
}

/** Aggregates until a batch is not full; does nothing while another process aggregates. */
export async function aggregateInBatches(
  db: Db,
  { lock, aggregate, batchSize }: Aggregation,
): Promise<number> {
  let aggregated = 0;
  for (;;) {
    const count = await db.transaction(async tx => {
      const [taken] = await rowsOf<{ taken: boolean }>(
        tx,
      )`select pg_try_advisory_xact_lock(${lock}) as taken`;
      if (!taken?.taken) return 0;
      const [result] = await rowsOf<{ count: number }>(tx)`select ${aggregate}::float8 as count`;
      return result?.count ?? 0;
    });
    aggregated += count;
    if (count < batchSize) return aggregated;
  }
}
