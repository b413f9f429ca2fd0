import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { ping } from '../../db/ping.ts';
import { deleteEvents, postponeEvents, type SearchEvent } from '../../db/search/outbox.ts';
import { noteFlush } from '../../db/search/pipeline.ts';
import { indexRecords } from '../../db/search/records.ts';
import type { FoldedEvent } from './batcher.ts';
import { CHUNK_SIZE, HIGHEST_FAILURE_RATE, type PipelineLimits } from './pipeline-limits.ts';

type FoldedSearchEvent = FoldedEvent<SearchEvent>;

export interface FlushParts {
  readonly db: Db;
  readonly log: Logger;
  readonly limits: PipelineLimits;
  readonly stop: AbortSignal;
}

const MAX_ATTEMPTS = 5;
const MAX_BACKOFF_MS = 300_000;
const PING_TIMEOUT_MS = 2_000;

/**
 * Indexes a batch. Outbox lines are deleted in the transaction that indexes their records, so a line exists exactly
 * as long as its record is not indexed. Single failures are postponed. Where nearly all records fail, the index
 * itself is failing: then the whole batch is retried here before anything else.
 */
export async function flushBatch(batch: readonly FoldedSearchEvent[], parts: FlushParts): Promise<void> {
  const { db, limits, stop, log } = parts;
  let left = batch;
  for (let tried = 1; ; tried += 1) {
    const failed = await indexInChunks(left, parts);
    await noteFlush(db, seqsOf(left).length - seqsOf(failed).length, seqsOf(failed).length);
    if (failed.length === 0) return;
    if (!isIndexAtFault(left, failed) || tried === MAX_ATTEMPTS || stop.aborted) {
      log.warn(
        { event: 'search.records_postponed', failed: failed.length },
        'failed to index records, retrying later',
      );
      return postpone(db, failed, limits);
    }
    left = failed;
    await pause(limits.backOffMs * 2 ** (tried - 1), undefined, { signal: stop }).catch(() => {});
  }
}

/** Counts only records without an earlier failure: a record that failed before says nothing about the index. */
function isIndexAtFault(batch: readonly FoldedSearchEvent[], failed: readonly FoldedSearchEvent[]): boolean {
  const isNew = ({ last }: FoldedSearchEvent) => last.attempts === 0;
  return failed.filter(isNew).length > batch.filter(isNew).length * HIGHEST_FAILURE_RATE;
}

/** Returns the records that failed even when indexed one by one. */
async function indexInChunks(
  batch: readonly FoldedSearchEvent[],
  parts: FlushParts,
): Promise<FoldedSearchEvent[]> {
  const chunks = Array.from({ length: Math.ceil(batch.length / CHUNK_SIZE) }, (_, at) =>
    batch.slice(at * CHUNK_SIZE, (at + 1) * CHUNK_SIZE),
  );
  const failed = await Promise.all(chunks.map(chunk => indexChunk(chunk, parts)));
  return failed.flat();
}

async function indexChunk(
  chunk: readonly FoldedSearchEvent[],
  { db, log }: FlushParts,
): Promise<FoldedSearchEvent[]> {
  const index = (events: readonly FoldedSearchEvent[]) =>
    indexRecords(
      db,
      events.map(({ last }) => last),
      { also: tx => deleteEvents(tx, seqsOf(events)) },
    );
  try {
    await index(chunk);
    return [];
  } catch (err) {
    log.warn(
      { event: 'search.batch_failed', err, size: chunk.length },
      'failed to index a batch, retrying record by record',
    );
  }
  // When the database does not answer, indexing record by record would only repeat the timeout.
  await ping(db, PING_TIMEOUT_MS);
  const failed: FoldedSearchEvent[] = [];
  for (const event of chunk) await index([event]).catch(() => failed.push(event));
  return failed;
}

/** Exponential backoff for each record. */
async function postpone(
  db: Db,
  failed: readonly FoldedSearchEvent[],
  { backOffMs }: PipelineLimits,
): Promise<void> {
  for (const { last, seqs } of failed) {
    const restMs = Math.min(backOffMs * 2 ** Math.min(last.attempts, 20), MAX_BACKOFF_MS);
    await postponeEvents(db, seqs, restMs);
  }
}

function seqsOf(events: readonly FoldedSearchEvent[]): string[] {
  return events.flatMap(({ seqs }) => seqs);
}
