import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { emptyOldText, hasMoreToEmpty } from '../../db/retention.ts';
import { type RepeatedWork, repeat } from './repeat.ts';

const RUN_EVERY_MS = 60_000;

/** Erases expired text at an interval, in one process at a time. Without `days` nothing is erased. */
export function startRetention(
  db: Db,
  days: number | undefined,
  log: Logger,
  runEveryMs = RUN_EVERY_MS,
): RepeatedWork {
  if (days === undefined) return { stop: async () => {} };
  const run = async (stopping: AbortSignal) => {
    let emptied = await emptyOldText(db, days);
    while (emptied && hasMoreToEmpty(emptied) && !stopping.aborted) emptied = await emptyOldText(db, days);
  };
  return repeat(runEveryMs, run, err =>
    log.warn({ event: 'retention.run_failed', err }, 'failed to erase expired text'),
  );
}
