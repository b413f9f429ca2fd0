import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { emptyOldText, hasMoreToEmpty } from '../../db/retention.ts';
import { type Regular, regularly } from './regularly.ts';

const LOOK_EVERY_MS = 60_000;

/** Empties what has become too old, from time to time, one process at a time. Without days nothing ever does. */
export function followRetention(
  db: Db,
  days: number | undefined,
  log: Logger,
  lookEveryMs = LOOK_EVERY_MS,
): Regular {
  if (days === undefined) return { stop: async () => {} };
  const look = async (stopping: AbortSignal) => {
    let emptied = await emptyOldText(db, days);
    while (emptied && hasMoreToEmpty(emptied) && !stopping.aborted) emptied = await emptyOldText(db, days);
  };
  return regularly(lookEveryMs, look, err => log.warn({ err }, 'what is too old was not emptied'));
}
