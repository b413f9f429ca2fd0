import { expect } from 'chai';
import { makeSeal } from '../../platform/seal.ts';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import { openOwnJobs } from '../../queues/transport/own-job.ts';
import type { ParleyQueue } from '../../queues/transport/parts.ts';
import { PAIR_KEY } from '../support/queue-pair.ts';
import { makeQueueStore } from '../support/queue-store.ts';

describe('the jobs that a worker adds itself', () => {
  it('are added after a first connection that failed', async () => {
    const store = await makeQueueStore();
    const backend = await openBackend({ ...store, onError: () => {} });
    let made = 0;
    const failing: Backend = {
      ...backend,
      makeQueue(name) {
        made += 1;
        const queue = backend.makeQueue(name);
        return made === 1 ? withoutConnection(queue) : queue;
      },
    };
    const jobs = openOwnJobs(failing, 'documents', makeSeal(PAIR_KEY));
    const job = { jobId: 'i1', requestId: 'i1', hostId: 'host', body: {} };
    const error = await jobs.add(job).catch((reason: unknown) => reason);
    expect(error).to.be.an('error').with.property('message', 'no connection');
    await jobs.add(job);
    expect(await store.storedText()).to.include('"hostId');
    await jobs.close();
    await backend.close();
    await store.drop();
  });
});

/** As BullMQ keeps the failure: each call is told of the same one. */
function withoutConnection(queue: ParleyQueue): ParleyQueue {
  queue.waitUntilReady = () => Promise.reject(new Error('no connection'));
  return queue;
}
