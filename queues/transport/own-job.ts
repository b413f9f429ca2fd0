import type { Seal } from '../../platform/seal.ts';
import type { Backend } from './backend.ts';
import { DEFAULT_SHARE, isFair } from './fair-order.ts';
import type { JobPayload } from './job-payload.ts';
import type { ParleyQueue } from './parts.ts';

/** A job that a worker adds, for which nobody waits. */
export interface OwnJob {
  /** Neither digits only nor with a colon. A job that the store has already stays as it is. */
  readonly jobId: string;
  readonly operation: string;
  /** In the place of that of a request: operators see it on the queue board. */
  readonly requestId: string;
  readonly hostId: string;
  /** The share of the host in the fair order, of a queue that has one; default: that of a host without a setting. */
  readonly share?: number;
  readonly body: unknown;
  readonly timeoutMs: number;
}

export type AddOwnJob = (job: OwnJob) => Promise<void>;

/** Resolves when the queue store has the job. */
export function makeOwnJobs(backend: Backend, queue: ParleyQueue, seal: Seal): AddOwnJob {
  return async ({ jobId, operation, requestId, hostId, share = DEFAULT_SHARE, body, timeoutMs }) => {
    const arrivedAt = backend.now();
    const caller = { tokenId: '', tokenName: '', scopes: [], hostIds: [hostId] };
    const deadline = arrivedAt + timeoutMs;
    const payload: JobPayload = { operation, requestId, caller, body, arrivedAt, deadline };
    const data = { requestId, hostId, deadline, sealed: await seal.seal(payload, jobId) };
    const hostShare = isFair(queue.name) ? { host: hostId, share } : undefined;
    await backend.addJob(queue, { jobId, name: operation, data, hostShare });
  };
}
