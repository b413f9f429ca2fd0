import type { Logger } from 'pino';
import type { Db } from '../db/connection.ts';
import { emptyOldText, isMoreToEmpty } from '../db/retention.ts';

const LOOK_EVERY_MS = 60_000;

/** Empties what has become too old, from time to time, one process at a time. Without days nothing ever does. */
export function followRetention(
  db: Db,
  days: number | undefined,
  log: Logger,
  lookEveryMs = LOOK_EVERY_MS,
): { stop(): Promise<void> } {
  if (days === undefined) return { stop: async () => {} };
  const stopped = new AbortController();
  let looking: Promise<void> | undefined;
  const look = async () => {
    let emptied = await emptyOldText(db, days);
    while (emptied && isMoreToEmpty(emptied) && !stopped.signal.aborted)
      emptied = await emptyOldText(db, days);
  };
  const timer = setInterval(() => {
    looking ??= look()
      .catch(err => log.warn({ err }, 'what is too old was not emptied'))
      .finally(() => {
        looking = undefined;
      });
  }, lookEveryMs);
  return {
    async stop() {
      clearInterval(timer);
      stopped.abort();
      await looking;
    },
  };
}
