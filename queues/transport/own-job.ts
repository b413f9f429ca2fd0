import type { Seal } from '../../platform/seal.ts';
import { type OwnQueueName, ownQueues } from '../contract/queues.ts';
import { type Backend, closePart } from './backend.ts';
import { DEFAULT_SHARE } from './fair-order.ts';
import type { SealedRequest } from './request.ts';

/** A job that a worker adds, and nobody waits for. */
export interface OwnJob {
  /** It has letters, and no colon. A job that the store already has stays unchanged. */
  readonly jobId: string;
  /** Operators see it on the queue board, in place of the id of a request. */
  readonly requestId: string;
  readonly hostId: string;
  /** The share of the host in the fair order, if the queue has one; default: as of a host without a setting. */
  readonly share?: number;
  readonly body: unknown;
}

export interface OwnJobs {
  /** Resolves when the queue store has the job. */
  add(job: OwnJob): Promise<void>;
  close(): Promise<void>;
}

export function openOwnJobs(backend: Backend, name: OwnQueueName, seal: Seal): OwnJobs {
  let queue = backend.makeQueue(name);
  // BullMQ keeps the failure of the first connection for good, so such a queue is replaced for the next call.
  const findQueue = async () => {
    const opened = queue;
    await opened.waitUntilReady().catch((error: unknown) => {
      if (queue === opened) queue = backend.makeQueue(name);
      void closePart(opened);
      throw error;
    });
    return opened;
  };
  const { job: operation, timeLimitMs, isFair } = ownQueues[name];
  return {
    async add({ jobId, requestId, hostId, share = DEFAULT_SHARE, body }) {
      const arrivedAt = backend.now();
      const caller = { tokenId: '', tokenName: '', scopes: [], hostIds: [hostId] };
      const deadline = arrivedAt + timeLimitMs;
      const request: SealedRequest = { operation, requestId, caller, body, arrivedAt, deadline };
      const data = { requestId, hostId, deadline, sealed: await seal.seal(request, jobId) };
      const hostShare = isFair ? { host: hostId, share } : undefined;
      await backend.addJob(await findQueue(), { jobId, name: operation, data, hostShare });
    },
    close: () => closePart(queue),
  };
}
