import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { type Arrival, finishRecord } from '../../db/intake/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { RecordKind } from '../domain/crm/mapping.ts';
import type { ArrivalStore } from './arrival-batcher.ts';
import type { BackgroundMapper } from './background-mapper.ts';
import { internalError } from './failure-reasons.ts';
import type { IntakeJob, TogetherMapper } from './map-together.ts';
import { noteRefusal } from './note-refusal.ts';

/*
 * A record is committed before it is processed:
 *
 *   received (committed) -> mapped and stored, together with the reply | refused | failed
 *
 * When a worker dies in between, the record stays `received`: its job runs again and finds it, or, when the job is
 * lost too, `replayLeftOver` does. A 2xx is never sent before the second commit.
 *
 * In a rush both commits are made for many records together: see `arrival-batcher.ts` and `map-together.ts`.
 *
 * A source with `ack: early` gets its 202 after the first commit, and `background-mapper.ts` makes the second one. Where too many
 * records wait for that, this one is mapped before the answer, as without the setting.
 */

export interface ReceiveParts {
  readonly db: Db;
  readonly storeArrival: ArrivalStore;
  readonly mapTogether: TogetherMapper;
  readonly mapInBackground: BackgroundMapper['add'];
}

/** The same work for each kind of record. */
export function makeReceiveRecords(
  { db, storeArrival, mapTogether, mapInBackground }: ReceiveParts,
  kind: RecordKind,
) {
  return async (job: IntakeJob): Promise<Outcome<DataOf<'receiveTicket'>>> => {
    const { hostId, source } = job;
    const record = await storeArrival(hostId, arrivalOf(job, kind));
    if (!record) return failure('signature-invalid');
    if (source?.ack === 'early' && mapInBackground(hostId, record.id)) return toStored(record.id);
    try {
      const outcome = await mapTogether(job, record);
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

function arrivalOf({ jobId, arrivedAt, body, source }: IntakeJob, kind: RecordKind): Arrival {
  const signed = source?.message === undefined ? undefined : { sourceId: source.id, message: source.message };
  return { kind, jobId, arrivedAt, body, signed };
}

/** Only a source that asked for it gets this form, which the operations do not declare. */
function toStored(recordId: string): Outcome<never> {
  return { code: 202, data: { recordId, state: 'received' } as never };
}
