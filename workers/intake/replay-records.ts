import type { Logger } from 'pino';
import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { findRecordResults, findRecordsToReplay, type RecordOutcome } from '../../db/intake-record-list.ts';
import { intakeStates } from '../../db/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { isStatementCancelled } from '../../platform/error-reason.ts';
import { failure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Handler } from '../runtime/job.ts';
import { LEFT_OVER_MS, replayRecord } from './replay.ts';

/**
 * Replays the records of a request one after the other, each in a transaction of its own: one that cannot be stored keeps
 * none of the others from it, and what is done when this process dies stays done. It is safe to repeat, because a record is
 * stored by its key.
 */
export function makeReplayRecords(db: Db, log: Logger): Handler<'replayRecords'> {
  return async ({ hostId, body, signal, requestId }) => {
    const ids = [...new Set(body.recordIds.map(id => id.toLowerCase()))];
    const records = await withHost(db, hostId, scope => findRecordsToReplay(scope, ids, LEFT_OVER_MS));
    if (records.length < ids.length) return failure('record-not-found');
    const skipped = new Set<string>();
    for (const { id, isFresh } of records) {
      signal.throwIfAborted();
      // Its job, or the worker that answered early, is about to process it.
      if (isFresh || !(await replayOne(id))) skipped.add(id);
    }
    const results = await withHost(db, hostId, scope => findRecordResults(scope, ids));
    return { code: 200, data: { items: results.map(result => toResultItem(result, skipped)) } };

    /** False where it is locked, because another process replays it. */
    async function replayOne(id: string): Promise<boolean> {
      try {
        return (await replayRecord(db, hostId, id, intakeStates)) !== undefined;
      } catch (err) {
        const isLocked = isStatementCancelled(err);
        if (isDatabaseUnavailable(err) && !isLocked) throw err;
        const line = { event: 'intake.record_replay_failed', err, requestId, intakeRecord: id };
        log.error(line, 'failed to replay a record');
        return !isLocked;
      }
    }
  };
}

function toResultItem(
  { id, kind, state, status, recordTable, recordId, reasons }: RecordOutcome,
  skipped: ReadonlySet<string>,
): DataOf<'replayRecords'>['items'][number] {
  // A record that was replayed is never `received`.
  const result = skipped.has(id) || state === 'received' ? 'skipped' : state;
  return { recordId: id, kind, result, status, entityTable: recordTable, entityId: recordId, reasons };
}
