import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { ping } from '../../db/database-checks.ts';
import { deleteOutboxLines, postponeEvents, type SearchEvent } from '../../db/search/outbox.ts';
import { noteFlush } from '../../db/search/pipeline.ts';
import { indexRecords } from '../../db/search/records.ts';
import { reasonOf } from '../../platform/error-reason.ts';
import { pauseAfter } from '../../platform/repeat.ts';
import type { MergedEvent } from './batcher.ts';
import { backoffOf, CHUNK_SIZE, MAX_FAILURE_RATE, type PipelineLimits } from './pipeline-limits.ts';

type MergedSearchEvent = MergedEvent<SearchEvent>;

export interface FlushParts {
  readonly db: Db;
  readonly log: Logger;
  readonly limits: PipelineLimits;
  readonly stop: AbortSignal;
}

const MAX_ATTEMPTS = 5;
/** With fewer failures the index is never blamed, even if all records fail. */
const MIN_FAILURES = 5;
const MAX_RECORD_ATTEMPTS = 10;

/**
 * Indexes a batch. Outbox lines are deleted in the transaction that indexes their records, so a line exists exactly
 * until its record is indexed. Single failures are postponed. If nearly all records fail, the index itself is
 * failing: then this batch is retried before the next one.
 */
export async function flushBatch(batch: readonly MergedSearchEvent[], parts: FlushParts): Promise<void> {
  const { db, limits, stop } = parts;
  let left = batch;
  for (let tried = 1; ; tried += 1) {
    const failures = await indexInChunks(left, parts);
    const failed = failures.map(({ record }) => record);
    await noteFlush(db, seqsOf(left).length - seqsOf(failed).length, seqsOf(failed).length);
    if (failed.length === 0) return;
    if (!isIndexFailing(left, failed) || tried === MAX_ATTEMPTS || stop.aborted) {
      for (const failure of failures) await postponeRecord(failure, parts);
      return;
    }
    left = failed;
    await delay(pauseAfter(tried, backoffOf(limits)), undefined, { signal: stop }).catch(() => {});
  }
}

const isNew = ({ last }: MergedSearchEvent) => last.attempts === 0;

/** Only first failures count: a record that has failed before says nothing about the index. */
function isIndexFailing(batch: readonly MergedSearchEvent[], failed: readonly MergedSearchEvent[]): boolean {
  const failedFirst = failed.filter(isNew).length;
  return failedFirst >= MIN_FAILURES && failedFirst > batch.filter(isNew).length * MAX_FAILURE_RATE;
}

/** Returns the records that cannot be indexed even individually. Records that failed before come last, one by one. */
async function indexInChunks(
  batch: readonly MergedSearchEvent[],
  { db }: FlushParts,
): Promise<FailedRecord<MergedSearchEvent>[]> {
  const index = (events: readonly MergedSearchEvent[], withinMs?: number) =>
    indexRecords(
      db,
      events.map(({ last }) => last),
      { ...(withinMs === undefined ? {} : { withinMs }), also: tx => deleteOutboxLines(tx, seqsOf(events)) },
    );
  const first = batch.filter(isNew);
  const chunks = Array.from({ length: Math.ceil(first.length / CHUNK_SIZE) }, (_, at) =>
    first.slice(at * CHUNK_SIZE, (at + 1) * CHUNK_SIZE),
  );
  const failed = (await Promise.all(chunks.map(chunk => indexWithFallback(db, chunk, index)))).flat();
  for (const event of batch) if (!isNew(event)) failed.push(...(await indexWithFallback(db, [event], index)));
  return failed;
}

/**
 * The delay doubles with each failure of a record. After the last attempt its outbox line is deleted: the
 * reconciliation reports the record as missing or stale, and retries it.
 */
async function postponeRecord(
  { record, error }: FailedRecord<MergedSearchEvent>,
  { db, log, limits }: FlushParts,
): Promise<void> {
  const { last, seqs } = record;
  const attempts = last.attempts + 1;
  const isSetAside = attempts >= MAX_RECORD_ATTEMPTS;
  log.warn(
    {
      event: 'search.record_failed',
      table: last.originTable,
      id: last.originId,
      attempts,
      isSetAside,
      reason: reasonOf(error),
    },
    isSetAside
      ? 'a record could not be indexed and is left to the reconciliation'
      : 'a record could not be indexed and is tried again later',
  );
  if (isSetAside) return deleteOutboxLines(db, seqs);
  await postponeEvents(db, seqs, pauseAfter(attempts, backoffOf(limits)));
}

function seqsOf(events: readonly MergedSearchEvent[]): string[] {
  return events.flatMap(({ seqs }) => seqs);
}

/** The timeout of one record is shorter than a chunk's, so that one record does not delay the others. */
const SINGLE_RECORD_TIMEOUT_MS = 2_000;
const PING_TIMEOUT_MS = 2_000;

interface FailedRecord<R> {
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
