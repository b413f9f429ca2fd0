import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { ping } from '../../db/database-checks.ts';

/** Timeout for one record; shorter than that of a chunk, so that one record does not delay the others. */
const SINGLE_RECORD_TIMEOUT_MS = 2_000;
const PING_TIMEOUT_MS = 2_000;

export interface FailedRecord<R> {
  readonly record: R;
  readonly error: unknown;
}

type IndexBatch<R> = (records: readonly R[], withinMs?: number) => Promise<unknown>;

/**
 * Indexes records together; if that fails, one by one, so that no record blocks the others. Returns the records that
 * fail individually; rejects if the database is unavailable.
 */
export async function indexWithFallback<R>(
  db: Db,
  records: readonly R[],
  index: IndexBatch<R>,
): Promise<FailedRecord<R>[]> {
  try {
    if (records.length > 1) {
      await index(records);
      return [];
    }
  } catch (error) {
    await assertDatabaseResponds(db, error);
  }
  const failed: FailedRecord<R>[] = [];
  for (const record of records) {
    await index([record], SINGLE_RECORD_TIMEOUT_MS).catch(async error => {
      await assertDatabaseResponds(db, error);
      failed.push({ record, error });
    });
  }
  return failed;
}

/** A statement that times out looks like a database that hangs; a ping tells the difference. */
async function assertDatabaseResponds(db: Db, error: unknown): Promise<void> {
  if (isDatabaseUnavailable(error)) await ping(db, PING_TIMEOUT_MS);
}
