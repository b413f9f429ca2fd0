import { isDatabaseUnavailable } from '../../db/connection.ts';
import type { IntakeRecord } from '../../db/intake/intake-records.ts';
import { batchCalls, upTo } from '../../platform/batch.ts';
import { isStatementCancelled } from '../../platform/error-reason.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { applyRecord, applyRecords } from './apply-record.ts';

export type IntakeJob = HandlerJob<'receiveTicket' | 'receiveDeal' | 'receiveObject'>;

type Mapped = Outcome<DataOf<'receiveTicket'>>;

export type TogetherMapper = (job: IntakeJob, record: IntakeRecord) => Promise<Mapped>;

interface MapCall {
  readonly job: IntakeJob;
  readonly record: IntakeRecord;
}

const MAX_BATCH = 50;
const MAX_BATCH_BYTES = 2 ** 21;

/**
 * Maps and stores the records of one host together with their replies, so that a rush needs few round trips. A record that
 * has to wait for a lock, and each record of a batch that fails, gets a transaction of its own: none takes others with it.
 */
export function makeTogetherMapper(): TogetherMapper {
  const mapTogether = batchCalls<MapCall, Mapped | undefined>({
    keyOf: ({ job }) => job.hostId,
    startBatch: upTo(MAX_BATCH, ({ record }) => JSON.stringify(record.body).length, MAX_BATCH_BYTES),
    async makeCalls(calls) {
      const [first] = calls;
      const records = calls.map(({ record }) => record);
      const jobs = calls.map(({ job }) => job);
      return first?.job.commitAll(jobs, scope => applyRecords(scope, records)) ?? [];
    },
  });
  return async (job, record) => {
    const outcome = await mapTogether({ job, record }).catch((error: unknown) => {
      if (isDatabaseUnavailable(error) && !isStatementCancelled(error)) throw error;
      return undefined;
    });
    return outcome ?? job.commit(scope => applyRecord(scope, record));
  };
}
