import { type Db, isDatabaseTrouble } from '../../db/connection.ts';
import { ping } from '../../db/ping.ts';

/** How long one record may take by itself; so much less than a chunk may that one does not hold up all others. */
const ALONE_WITHIN_MS = 2_000;
const PING_TIMEOUT_MS = 2_000;

export interface FailedRecord<R> {
  readonly record: R;
  readonly error: unknown;
}

type IndexTogether<R> = (records: readonly R[], withinMs?: number) => Promise<unknown>;

/**
 * Indexes records together and, where that fails, each alone, so that none keeps another from the index. Gives those
 * that fail alone; rejects where the database is away.
 */
export async function indexApart<R>(
  db: Db,
  records: readonly R[],
  index: IndexTogether<R>,
): Promise<FailedRecord<R>[]> {
  try {
    if (records.length > 1) {
      await index(records);
      return [];
    }
  } catch (error) {
    await demandRecordsFault(db, error);
  }
  const failed: FailedRecord<R>[] = [];
  for (const record of records) {
    await index([record], ALONE_WITHIN_MS).catch(async error => {
      await demandRecordsFault(db, error);
      failed.push({ record, error });
    });
  }
  return failed;
}

/** What takes too long looks like a database that hangs; one that answers does not. */
async function demandRecordsFault(db: Db, error: unknown): Promise<void> {
  if (isDatabaseTrouble(error)) await ping(db, PING_TIMEOUT_MS);
}
