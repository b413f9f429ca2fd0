import type { Db } from '../../db/connection.ts';
import { eraseTextBatch, hasMoreToErase } from '../../db/conversations/retention.ts';

/** Erases expired text, in one process at a time. */
export async function eraseExpiredText(db: Db, days: number, signal: AbortSignal): Promise<void> {
  let erased = await eraseTextBatch(db, days);
  while (erased && hasMoreToErase(erased) && !signal.aborted) erased = await eraseTextBatch(db, days);
}
