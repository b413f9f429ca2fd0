import type { Runner } from '../../db/host-transaction.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { eventually } from './eventually.ts';

/**
 * Resolves when this many sessions wait for this transaction, or for one that waits for it. Sessions that wait for each other do
 * not count: at each NOTIFY one does, for the moment of a commit.
 */
export async function waitForLock(holder: Runner, sessions = 1): Promise<void> {
  const waiting = async () => {
    const [row] = await rowsOf<{ count: number }>(holder)`
      with recursive waiting (pid) as (
        select pg_backend_pid()
        union select lock.pid from pg_locks lock
          join waiting on not lock.granted and waiting.pid = any (pg_blocking_pids(lock.pid)))
      select count(*)::integer - 1 as count from waiting`;
    return row?.count ?? 0;
  };
  await eventually(waiting, seen => seen >= sessions);
}
