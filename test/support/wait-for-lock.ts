import type { Db } from '../../db/connection.ts';

/** Resolves when any session waits for a lock in this database. */
export async function waitForLock(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await db.raw(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
}
