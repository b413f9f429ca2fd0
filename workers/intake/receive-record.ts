import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { finishRecord } from '../../db/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { RecordKind } from '../domain/crm/mapping.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { applyRecord } from './apply-record.ts';
import type { ArrivalStore } from './arrival-batcher.ts';
import { noteRefusal } from './note-refusal.ts';

/*
 * A record is committed before it is processed:
 *
 *   received (committed) -> mapped and stored, together with the reply | refused | failed
 *
 * When a worker dies in between, the record stays `received`: its job runs again and finds it, or, when the job is
 * lost too, `replayLeftOver` does. A 2xx is never sent before the second commit.
 */

type IntakeJob = HandlerJob<'receiveTicket' | 'receiveDeal' | 'receiveObject'>;

/** The same work for each kind of record. */
export function makeReceiveRecords(db: Db, storeArrival: ArrivalStore, kind: RecordKind) {
  return async (job: IntakeJob): Promise<Outcome<DataOf<'receiveTicket'>>> => {
    const { jobId, arrivedAt, body, hostId } = job;
    const record = await storeArrival(hostId, { kind, jobId, arrivedAt, body });
    try {
      const outcome = await job.commit(scope => applyRecord(scope, record));
      if (isFailure(outcome) && outcome.code === 400)
        await withHost(db, hostId, scope => noteRefusal(scope, record, outcome));
      return outcome;
    } catch (error) {
      const result = { state: 'failed', reasons: internalError } as const;
      if (!isDatabaseUnavailable(error))
        await withHost(db, hostId, scope => finishRecord(scope, record.id, result));
      throw error;
    }
  };
}

/** The reasons of a record that failed by a fault of the service. */
export const internalError = [{ path: '', message: 'an internal error' }];
