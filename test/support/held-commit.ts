import type { Db } from '../../db/connection.ts';
import { waitForLock } from './wait-for-lock.ts';

export interface HeldCommits {
  /** Resolves when this many transactions wait, for this lock or for a row that one of them has locked. */
  waitForBlocked(transactions: number): Promise<void>;
  release(): Promise<void>;
}

/**
 * Blocks every transaction when it stores its reply, the last step before its commit, until `work` releases them or
 * ends in any way: otherwise closing the service would wait for them. Reading replies is not blocked.
 */
export function withBlockedCommits<T>(db: Db, work: (commits: HeldCommits) => Promise<T>): Promise<T> {
  return withHeldLock(db, 'lock table replies in share row exclusive mode', work);
}

/** The same after the checks at the start of a commit, as with a slow disk. */
export async function withStalledCommits<T>(db: Db, work: (commits: HeldCommits) => Promise<T>): Promise<T> {
  await db.raw(`
    create function stall() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(4711); return null; end $$;
    create constraint trigger stall after insert on replies deferrable initially deferred
      for each row execute function stall()`);
  try {
    return await withHeldLock(db, 'select pg_advisory_xact_lock(4711)', work);
  } finally {
    await db.raw('drop function stall cascade');
  }
}

/** Holds a lock while `work` runs; it may release it earlier. */
export async function withHeldLock<T>(
  db: Db,
  hold: string,
  work: (commits: HeldCommits) => Promise<T>,
): Promise<T> {
  const tx = await db.transaction();
  const release = async () => {
    if (!tx.isCompleted()) await tx.rollback();
  };
  try {
    await tx.raw(hold);
    return await work({ waitForBlocked: transactions => waitForLock(tx, transactions), release });
  } finally {
    await release();
  }
}
