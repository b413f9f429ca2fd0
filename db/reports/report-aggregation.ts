import type { Db } from '../connection.ts';
import { repeatFull, runInOneProcess } from '../row-batch.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';

const BATCH_SIZE = 5_000;

/**
 * Adds deltas to the daily counts. Works as the owner, for all hosts, one process at a time; returns the number of
 * deltas.
 */
export function aggregateReportDeltas(db: Db): Promise<number> {
  // Earlier versions, which run beside this one in an update, use this lock's name; `change_host` takes it for a recount.
  return aggregateInBatches(db, 'parley report folding', most => sql`aggregate_report_deltas(${most})`);
}

/**
 * Aggregates until a batch is not full, in one process at a time: two could lock the same days in different orders. `aggregate`
 * is a call that returns the number of deltas.
 */
export function aggregateInBatches(
  db: Db,
  lock: string,
  aggregate: (most: number) => Fragment,
): Promise<number> {
  return repeatFull(BATCH_SIZE, async () => {
    const count = await runInOneProcess(db, lock, async tx => {
      const [result] = await rowsOf<{ count: number }>(tx)`select ${aggregate(BATCH_SIZE)}::float8 as count`;
      return result?.count;
    });
    return count ?? 0;
  });
}
