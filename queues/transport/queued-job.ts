import { randomUUID } from 'node:crypto';
import type { Seal } from '../../platform/seal.ts';
import { traceCarrier } from '../../platform/span.ts';
import type { QueueName } from '../contract/operation.ts';
import type { JobData } from './backend.ts';
import { FINISHED_JOB_SECONDS } from './job-limits.ts';
import type { JobPayload } from './job-payload.ts';

export interface JobRequest extends Omit<JobPayload, 'deadline'> {
  readonly queue: QueueName;
  readonly timeoutMs: number;
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal;
}

export interface QueuedJob {
  readonly jobId: string;
  readonly data: JobData;
}

export const jobOptions = {
  attempts: 1,
  removeOnComplete: { age: FINISHED_JOB_SECONDS },
  removeOnFail: { age: FINISHED_JOB_SECONDS },
};

/** A request as it lies in the queue's store: what an operator may read of it, and all else sealed. */
export async function makeQueuedJob(request: JobRequest, seal: Seal): Promise<QueuedJob> {
  const jobId = jobIdOf(request, seal);
  const payload = payloadOf(request);
  const { hostIds } = request.caller;
  return {
    jobId,
    data: {
      requestId: request.requestId,
      hostId: hostIds.length === 1 ? (hostIds[0] ?? null) : null,
      deadline: payload.deadline,
      ...(request.idempotencyKey === undefined ? {} : { bodyMac: seal.mac(request.body) }),
      sealed: await seal.seal(payload, jobId),
    },
  };
}

function payloadOf({ queue: _queue, timeoutMs, gone: _gone, ...crossing }: JobRequest): JobPayload {
  const trace = traceCarrier();
  return { ...crossing, deadline: crossing.arrivedAt + timeoutMs, ...(trace ? { trace } : {}) };
}

/**
 * Never digits only, never with a colon: BullMQ gives both a meaning. Under a key it is the same for the same hosts in
 * any order, and only who has the secret can tell it: a reply is read by its job's id.
 */
function jobIdOf({ caller, operation, idempotencyKey }: JobRequest, seal: Seal): string {
  if (idempotencyKey === undefined) return `k${randomUUID().replaceAll('-', '')}`;
  return `k${seal.nameOf([caller.hostIds.toSorted(), operation, idempotencyKey]).slice(0, 40)}`;
}
