import type { Db } from '../../db/connection.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { eventually } from './eventually.ts';

export interface HeldCommit {
  /** Resolves once so many transactions wait: for this hold, or for a row that one of those has. */
  isWaitedForBy(transactions: number): Promise<void>;
  release(): Promise<void>;
}

/**
 * Stops every transaction where it stores its reply, which is the last thing before it commits. Looking for a reply goes on.
 */
export async function holdCommits(db: Db): Promise<HeldCommit> {
  const tx = await db.transaction();
  await tx.raw('lock table replies in share row exclusive mode');
  return {
    async isWaitedForBy(transactions) {
      const waiting = async () => {
        const [row] = await rowsOf<{ count: string }>(db)`
          select count(distinct pid) as count from pg_locks where not granted`;
        return Number(row?.count);
      };
      await eventually(waiting, seen => seen >= transactions);
    },
    release: async () => void (await tx.rollback()),
  };
}
