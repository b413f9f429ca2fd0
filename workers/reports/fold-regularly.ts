import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { foldReportDeltas } from '../../db/reports.ts';

const FOLD_EVERY_MS = 5_000;

/** Keeps few deltas between the daily counts and their readers; how often is nobody's business but the readers' speed. */
export function foldRegularly(db: Db, log: Logger): { stop(): Promise<void> } {
  let folding: Promise<unknown> | undefined;
  const fold = () => {
    folding ??= foldReportDeltas(db)
      .catch(err => log.warn({ err }, 'what counts for the reports was not folded'))
      .finally(() => (folding = undefined));
  };
  const timer = setInterval(fold, FOLD_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await folding;
    },
  };
}
