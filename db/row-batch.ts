import type { Knex } from 'knex';
import { type Fragment, rowsOf, sql } from './rows-of.ts';

/*
 * Deletes or changes due rows of all hosts, a batch in each statement. Rows that another process holds are left for the next
 * run, so that processes neither wait for each other nor do the same. Works as the owner.
 */

/** Fragments of SQL, in which the table has its own name. */
export interface RowBatch {
  readonly table: Fragment;
  readonly where: Fragment;
  /** Undefined: in any order. */
  readonly orderBy?: Fragment;
  readonly limit: number;
}

export async function deleteBatch(tx: Knex, batch: RowBatch): Promise<number> {
  const deleted = await rowsOf(tx)`delete from ${batch.table} where ${isOf(batch)} returning 1`;
  return deleted.length;
}

/** `set` has the assignments. Returns the number of rows. */
export async function updateBatch(tx: Knex, batch: RowBatch, set: Fragment): Promise<number> {
  const updated = await rowsOf(tx)`update ${batch.table} set ${set} where ${isOf(batch)} returning 1`;
  return updated.length;
}

/** Deletes all, batch by batch. Returns the number of rows. */
export function deleteInBatches(db: Knex, batch: RowBatch): Promise<number> {
  return repeatFull(batch.limit, () => deleteBatch(db, batch));
}

/** Runs `step` as long as its batches are full. Returns the number of all rows. */
export async function repeatFull(
  limit: number,
  step: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await step();
    total += count;
    if (count < limit || signal?.aborted) return total;
  }
}

/** Does the work in a transaction, in one process at a time; returns undefined if another has the lock of this name. */
export function runInOneProcess<T>(
  db: Knex,
  lock: string,
  work: (tx: Knex) => Promise<T>,
): Promise<T | undefined> {
  return db.transaction(async tx => {
    const [key] = await rowsOf<{ free: boolean }>(
      tx,
    )`select pg_try_advisory_xact_lock(hashtext(${lock})) as free`;
    return key?.free ? work(tx) : undefined;
  });
}

/** A subquery of `in` may run again for each row, and lock other rows each time; an array keeps the limit. */
function isOf({ table, where, orderBy, limit }: RowBatch): Fragment {
  return sql`ctid = any (array(
    select ctid from ${table} where ${where} ${orderBy ? sql`order by ${orderBy}` : sql``}
    limit ${limit} for update of ${table} skip locked))`;
}
