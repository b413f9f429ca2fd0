import type { Db } from './connection.ts';

/** Resolves when the database answers within the limit; rejects otherwise. */
export async function ping(db: Db, limitMs = 1_000): Promise<void> {
  await db.raw('select 1').timeout(limitMs);
}
