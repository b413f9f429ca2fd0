import { expect } from 'chai';
import { makeSeal } from '../../platform/seal.ts';
import { type OwnQueueName, ownQueues } from '../../queues/contract/queues.ts';
import { type Backend, closePart, openBackend } from '../../queues/transport/backend.ts';
import { openOwnJobs } from '../../queues/transport/own-job.ts';
import type { ParleyQueue } from '../../queues/transport/parts.ts';
import { openEach } from '../support/opened.ts';
import { makeQueueStore } from '../support/queue-store.ts';
import { PAIR_KEY } from './queue-pair.ts';

describe('the jobs that a worker adds itself', () => {
  const store = openEach(makeQueueStore);
  const backend = openEach(() => openBackend({ ...store, onError: () => {} }));

  it('are added after a first connection that failed', async () => {
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
  });

  it('wait in the fair order of hosts where their queue has one, and in their own order elsewhere', async () => {
    for (const name of Object.keys(ownQueues) as OwnQueueName[]) {
      const jobs = openOwnJobs(backend, name, makeSeal(PAIR_KEY));
      await jobs.add({ jobId: 'j1', requestId: 'j1', hostId: 'host', body: {} });
      const queue = backend.makeQueue(name);
      const { depth, hosts } = await backend.backlog(queue);
      expect(depth, name).to.equal(1);
      expect([...hosts.keys()], name).to.deep.equal(ownQueues[name].isFair ? ['host'] : []);
      await Promise.all([closePart(queue), jobs.close()]);
    }
  });
});

/** As BullMQ keeps the failure: each call is told of the same one. */
function withoutConnection(queue: ParleyQueue): ParleyQueue {
  queue.waitUntilReady = () => Promise.reject(new Error('no connection'));
  return queue;
}
