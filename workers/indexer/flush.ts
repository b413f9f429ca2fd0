import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { deleteEvents, postponeEvents, type SearchEvent } from '../../db/search/outbox.ts';
import { noteFlush } from '../../db/search/pipeline.ts';
import { indexRecords } from '../../db/search/records.ts';
import { reasonOf } from '../../platform/outage-log.ts';
import type { FoldedEvent } from './batcher.ts';
import { type FailedRecord, indexApart } from './index-apart.ts';
import { CHUNK_SIZE, HIGHEST_FAILURE_RATE, type PipelineLimits } from './pipeline-limits.ts';

type FoldedSearchEvent = FoldedEvent<SearchEvent>;

export interface FlushParts {
  readonly db: Db;
  readonly log: Logger;
  readonly limits: PipelineLimits;
  readonly stop: AbortSignal;
}

const MAX_ATTEMPTS = 5;
/** Fewer records that fail say nothing of the index, even where they are all there is. */
const FEWEST_OF_A_FAULT = 5;
const TRIES_OF_A_RECORD = 10;
const LONGEST_PAUSE_MS = 300_000;

/**
 * Indexes a batch. Outbox lines are deleted in the transaction that indexes their records, so a line exists exactly
 * as long as its record is not indexed. Single failures are postponed. Where nearly all records fail, the index
 * itself is failing: then the whole batch is retried here before anything else.
 */
export async function flushBatch(batch: readonly FoldedSearchEvent[], parts: FlushParts): Promise<void> {
  const { db, limits, stop } = parts;
  let left = batch;
  for (let tried = 1; ; tried += 1) {
    const failures = await indexInChunks(left, parts);
    const failed = failures.map(({ record }) => record);
    await noteFlush(db, seqsOf(left).length - seqsOf(failed).length, seqsOf(failed).length);
    if (failed.length === 0) return;
    if (!isIndexAtFault(left, failed) || tried === MAX_ATTEMPTS || stop.aborted) {
      for (const failure of failures) await putBack(failure, parts);
      return;
    }
    left = failed;
    await pause(limits.backOffMs * 2 ** (tried - 1), undefined, { signal: stop }).catch(() => {});
  }
}

const isNew = ({ last }: FoldedSearchEvent) => last.attempts === 0;

/** What has failed before says nothing of the index, and keeps nobody waiting: only the others are counted. */
function isIndexAtFault(batch: readonly FoldedSearchEvent[], failed: readonly FoldedSearchEvent[]): boolean {
  const failedFirst = failed.filter(isNew).length;
  return failedFirst >= FEWEST_OF_A_FAULT && failedFirst > batch.filter(isNew).length * HIGHEST_FAILURE_RATE;
}

/** Gives what could not be indexed, not even alone. What has failed before comes last, and alone. */
async function indexInChunks(
  batch: readonly FoldedSearchEvent[],
  { db }: FlushParts,
): Promise<FailedRecord<FoldedSearchEvent>[]> {
  const index = (events: readonly FoldedSearchEvent[], withinMs?: number) =>
    indexRecords(
      db,
      events.map(({ last }) => last),
      { ...(withinMs === undefined ? {} : { withinMs }), also: tx => deleteEvents(tx, seqsOf(events)) },
    );
  const first = batch.filter(isNew);
  const chunks = Array.from({ length: Math.ceil(first.length / CHUNK_SIZE) }, (_, at) =>
    first.slice(at * CHUNK_SIZE, (at + 1) * CHUNK_SIZE),
  );
  const failed = (await Promise.all(chunks.map(chunk => indexApart(db, chunk, index)))).flat();
  for (const event of batch) if (!isNew(event)) failed.push(...(await indexApart(db, [event], index)));
  return failed;
}

/**
 * Each failure of a record doubles its rest. After the last its line goes: the reconciliation finds the record missing
 * or stale, shows it as that, and tries it again.
 */
async function putBack(
  { record, error }: FailedRecord<FoldedSearchEvent>,
  { db, log, limits }: FlushParts,
): Promise<void> {
  const { last, seqs } = record;
  const tries = last.attempts + 1;
  const isSetAside = tries >= TRIES_OF_A_RECORD;
  log.warn(
    {
      event: 'search.record_failed',
      table: last.originTable,
      id: last.originId,
      tries,
      isSetAside,
      reason: reasonOf(error),
    },
    isSetAside
      ? 'a record could not be indexed and is left to the reconciliation'
      : 'a record could not be indexed and is tried again later',
  );
  if (isSetAside) return deleteEvents(db, seqs);
  const restMs = Math.min(limits.backOffMs * 2 ** last.attempts, LONGEST_PAUSE_MS);
  await postponeEvents(db, seqs, restMs);
}

function seqsOf(events: readonly FoldedSearchEvent[]): string[] {
  return events.flatMap(({ seqs }) => seqs);
}
