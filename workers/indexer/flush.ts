import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { dropEvents, postponeEvents, type SearchEvent } from '../../db/search/outbox.ts';
import { noteFlush } from '../../db/search/pipeline.ts';
import { indexRecords } from '../../db/search/records.ts';
import { reasonOf } from '../../platform/outage-log.ts';
import type { FoldedEvent } from './batcher.ts';
import { type FailedRecord, indexApart } from './index-apart.ts';
import { CHUNK_SIZE, HIGHEST_FAILURE_RATE, type PipelineLimits } from './pipeline-limits.ts';

type Folded = FoldedEvent<SearchEvent>;

export interface FlushParts {
  readonly db: Db;
  readonly log: Logger;
  readonly limits: PipelineLimits;
  readonly stop: AbortSignal;
}

const TRIES_OF_A_BATCH = 5;
/** Fewer records that fail say nothing of the index, even where they are all there is. */
const FEWEST_OF_A_FAULT = 5;
const TRIES_OF_A_RECORD = 10;
const LONGEST_PAUSE_MS = 300_000;

/**
 * Indexes a batch. The lines of the outbox go in the transaction that indexes their records, so that a line is there
 * exactly as long as its record is not. What fails alone is put back for later; where nearly all fails, it is the
 * index that is at fault: then all of it is tried again, here, before anything else.
 */
export async function flushBatch(batch: readonly Folded[], parts: FlushParts): Promise<void> {
  const { db, limits, stop } = parts;
  let left = batch;
  for (let tried = 1; ; tried += 1) {
    const failures = await indexInChunks(left, parts);
    const failed = failures.map(({ record }) => record);
    await noteFlush(db, seqsOf(left).length - seqsOf(failed).length, seqsOf(failed).length);
    if (failed.length === 0) return;
    if (!isIndexAtFault(left, failed) || tried === TRIES_OF_A_BATCH || stop.aborted) {
      for (const failure of failures) await putBack(failure, parts);
      return;
    }
    left = failed;
    await pause(limits.backOffMs * 2 ** (tried - 1), undefined, { signal: stop }).catch(() => {});
  }
}

const isNew = ({ last }: Folded) => last.attempts === 0;

/** What has failed before says nothing of the index, and keeps nobody waiting: only the others are counted. */
function isIndexAtFault(batch: readonly Folded[], failed: readonly Folded[]): boolean {
  const failedFirst = failed.filter(isNew).length;
  return failedFirst >= FEWEST_OF_A_FAULT && failedFirst > batch.filter(isNew).length * HIGHEST_FAILURE_RATE;
}

/** Gives what could not be indexed, not even alone. What has failed before comes last, and alone. */
async function indexInChunks(batch: readonly Folded[], { db }: FlushParts): Promise<FailedRecord<Folded>[]> {
  const index = (events: readonly Folded[], withinMs?: number) =>
    indexRecords(
      db,
      events.map(({ last }) => last),
      { ...(withinMs === undefined ? {} : { withinMs }), also: tx => dropEvents(tx, seqsOf(events)) },
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
  { record, error }: FailedRecord<Folded>,
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
  if (isSetAside) return dropEvents(db, seqs);
  const restMs = Math.min(limits.backOffMs * 2 ** last.attempts, LONGEST_PAUSE_MS);
  await postponeEvents(db, seqs, restMs);
}

function seqsOf(events: readonly Folded[]): string[] {
  return events.flatMap(({ seqs }) => seqs);
}
