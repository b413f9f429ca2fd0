import type { Logger } from 'pino';
import { type Db, isDatabaseOutage } from '../../db/connection.ts';
import {
  beginLeftOver,
  type IntakeState,
  intakeStates,
  type LeftOver,
  listLeftOver,
} from '../../db/intake/intake-records.ts';
import { findRecordResults, findRecordsToReplay, type ReplayedRecord } from '../../db/intake/record-lists.ts';
import { withHost } from '../../db/with-hosts.ts';
import { isStatementCancelled } from '../../platform/error-reason.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { Handler } from '../runtime/job.ts';
import type { Pools } from '../runtime/pools.ts';
import { internalError, mapStoredRecord } from './map-stored-record.ts';

/** After this long no job can still be processing the record. */
const LEFT_OVER_MS = 60_000;
const REPLAY_BATCH_SIZE = 500;

type Run = 'replayed' | 'skipped' | 'failed';

/**
 * Replays the records of a request one after the other, each in a transaction of its own: one that cannot be stored does not
 * stop the others, and finished ones stay done when this process dies. Repeating is safe, because a record is stored by its
 * key.
 */
export function makeReplayRecords(db: Db, log: Logger): Handler<'replayRecords'> {
  return async ({ hostId, body, signal, requestId }) => {
    const ids = [...new Set(body.recordIds.map(id => id.toLowerCase()))];
    const records = await withHost(db, hostId, scope => findRecordsToReplay(scope, ids, LEFT_OVER_MS));
    if (records.length < ids.length) return failure('record-not-found');
    const runs = new Map<string, Run>();
    for (const { id, isFresh } of records) {
      signal.throwIfAborted();
      // A fresh record is about to be processed, by its job or by the worker that answered early.
      const record = { hostId, id };
      runs.set(id, isFresh ? 'skipped' : await replayOne(db, log, record, intakeStates, { requestId }));
    }
    const results = await withHost(db, hostId, scope => findRecordResults(scope, ids));
    return { code: 200, data: { items: results.map(record => resultOf(record, runs.get(record.recordId))) } };
  };
}

/** Skips a record that another process has locked to replay it. */
async function replayOne(
  db: Db,
  log: Logger,
  { hostId, id }: LeftOver,
  states: readonly IntakeState[],
  fields: object = {},
): Promise<Run> {
  try {
    return (await mapStoredRecord(db, hostId, id, states)) ? 'replayed' : 'skipped';
  } catch (err) {
    if (isDatabaseOutage(err)) throw err;
    const line = { event: 'intake.record_replay_failed', err, ...fields, intakeRecord: id };
    log.error(line, 'failed to replay a record');
    return isStatementCancelled(err) ? 'skipped' : 'failed';
  }
}

/** A record that is done stays so, even if a replay of it fails. */
function resultOf(record: ReplayedRecord, run: Run | undefined): ReplayedRecord {
  if (run === 'failed') return { ...record, result: 'failed', reasons: internalError };
  return run === 'skipped' ? { ...record, result: 'skipped' } : record;
}

interface LeftOverOptions {
  readonly olderThanMs?: number;
  /** When it is aborted, the other records are left to other workers. */
  readonly signal?: AbortSignal;
}

/**
 * Replays records whose worker died after it answered early, or whose job was lost. Returns how many have an outcome now. Jobs
 * need no count of their own: the queue ends one whose worker died three times.
 */
export async function replayLeftOver(
  { owner, hosts }: Pick<Pools, 'owner' | 'hosts'>,
  log: Logger,
  { olderThanMs = LEFT_OVER_MS, signal }: LeftOverOptions = {},
): Promise<number> {
  let replayed = 0;
  for (let hasMore = true; hasMore; ) {
    const leftOver = await listLeftOver(owner, olderThanMs, REPLAY_BATCH_SIZE);
    const before = replayed;
    for (const record of leftOver)
      if (!signal?.aborted && (await replayLeft(hosts, log, record, olderThanMs)) === 'replayed')
        replayed += 1;
    // No progress means that another process replays the rest, or that it cannot be stored now.
    hasMore = replayed > before && leftOver.length === REPLAY_BATCH_SIZE && !signal?.aborted;
  }
  const line = { event: 'intake.records_replayed', records: replayed };
  if (replayed > 0) log.warn(line, 'replayed records of a worker that died');
  return replayed;
}

async function replayLeft(db: Db, log: Logger, record: LeftOver, pauseMs: number): Promise<Run> {
  const { hostId, id } = record;
  const begin = await withHost(db, hostId, scope => beginLeftOver(scope, id, pauseMs));
  if (begin === 'begun') return replayOne(db, log, record, ['received']);
  if (begin === undefined) return 'skipped';
  const line = { event: 'intake.record_given_up', intakeRecord: id };
  log.error(line, 'a record was begun three times without an end: it has failed and can be replayed');
  return 'replayed';
}
