import type { Db } from '../../db/connection.ts';
import { emptyOldText, hasMoreToEmpty } from '../../db/retention.ts';

/** Erases expired text, in one process at a time. */
export async function eraseExpiredText(db: Db, days: number, signal: AbortSignal): Promise<void> {
  let emptied = await emptyOldText(db, days);
  while (emptied && hasMoreToEmpty(emptied) && !signal.aborted) emptied = await emptyOldText(db, days);
}
