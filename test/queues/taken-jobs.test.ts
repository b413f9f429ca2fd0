import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { IQueueBackend, RedisQueueBackend } from 'bullmq';
import { expect } from 'chai';
import { openBackend } from '../../queues/transport/backend.ts';
import { jobOptions } from '../../queues/transport/job-limits.ts';
import { LOCK_MS, type ParleyWorker } from '../../queues/transport/parts.ts';
import type { QueueCalls } from '../../queues/transport/queue-calls.ts';
import { TakenJobs } from '../../queues/transport/taken-jobs.ts';
import { TakingBackend } from '../../queues/transport/taking-backend.ts';
import { eventually } from '../support/eventually.ts';
import { describeWithRedis, makeOwnRedis, usesCluster } from '../support/own-redis.ts';
import { openOwnQueue, ownStore } from './own-store.ts';

type Completing = Parameters<IQueueBackend['moveToCompleted']>[0];

const data = { requestId: 'r', hostId: null, deadline: 0, sealed: '', replyTo: 'requester' };
const idOf = (at: number) => `k${at}x`;

describe(`the jobs that a worker takes at once on ${ownStore.name}`, function () {
  const { backend, queue, openWorker } = openOwnQueue('catalog');

  const add = (count: number, from = 0) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        backend.addJob(queue, { jobId: idOf(from + at), name: 'reason', data }),
      ),
    );
  /** Oldest first. */
  const waiting = async () => (await queue.getJobs(['waiting'], 0, -1, true)).map(({ id }) => id);
  const complete = (worker: ParleyWorker, token: string, at: number) => {
    const job = { id: idOf(at), data, opts: jobOptions } as unknown as Completing;
    const reply = { code: 200, sealed: 'reply' };
    return worker.getBackend().moveToCompleted(job, reply, jobOptions.removeOnComplete, token, false);
  };

  it('are given back in their order when it closes, those that it has not begun', async () => {
    await add(5);
    const worker = await openWorker(8);
    await worker.getBackend().moveToActive('token');
    expect(await queue.getActiveCount()).to.equal(5);
    await worker.close();
    expect(await waiting()).to.deep.equal([1, 2, 3, 4].map(idOf));
  });

  it('are given back when it does not begin them', async () => {
    await add(3);
    const worker = await openWorker(8);
    await worker.getBackend().moveToActive('token');
    await eventually(waiting, { length: 2 });
    expect(await waiting()).to.deep.equal([1, 2].map(idOf));
  });

  it('are no more than it has free slots, and half of many, so that another worker gets the rest', async () => {
    await add(40);
    const [small, large] = await Promise.all([openWorker(3), openWorker(64)]);
    await small.getBackend().moveToActive('token');
    expect(await queue.getActiveCount()).to.equal(3);
    await large.getBackend().moveToActive('token');
    expect(await queue.getActiveCount()).to.equal(3 + Math.ceil(37 / 2));
  });

  it('are given back at once when they come while it closes', async () => {
    await add(3);
    const worker = await openWorker(8);
    const taking = worker.getBackend().moveToActive('token');
    worker.emit('closing', 'closing queue');
    expect((await taking)[0]).to.equal(null);
    await worker.close();
    expect(await waiting()).to.deep.equal([0, 1, 2].map(idOf));
  });

  it('keep their locks while they run, which are renewed under the tokens of BullMQ', async () => {
    await add(2);
    const worker = await openWorker(8);
    const calls = worker.getBackend();
    const taken = [await calls.moveToActive('one'), await calls.moveToActive('two')];
    const ids = taken.map(([, id]) => id as string);
    expect(await calls.extendLocks(ids, ['one', 'two'], 60_000)).to.deep.equal([]);
    expect(await calls.extendLocks(ids, ['three', 'four'], 60_000)).to.deep.equal(ids);
  });

  it('wake an idle worker when they are given back', async () => {
    await add(2);
    const worker = await openWorker(8);
    await worker.getBackend().moveToActive('token');
    const idle = await openWorker(1);
    const woken = idle.getBackend().waitForJob(20);
    await worker.close();
    expect(await woken).to.not.equal(null);
  });

  for (const [feature, use] of [
    ['a global concurrency limit', () => queue.setGlobalConcurrency(1)],
    ['a rate limit', () => queue.setGlobalRateLimit(1, 60_000)],
    ['a delayed job', () => queue.add('reason', data, { jobId: 'later', delay: 60_000 })],
  ] as [string, () => Promise<unknown>][])
    it(`are those that BullMQ takes where the queue has ${feature}, and end like others`, async () => {
      await add(3);
      await use();
      const worker = await openWorker(8);
      const [, id] = await worker.getBackend().moveToActive('token');
      expect(id).to.equal(idOf(0));
      expect(await queue.getActiveCount()).to.equal(1);
      await complete(worker, 'token', 0);
      expect(await queue.getCompletedCount()).to.equal(1);
    });

  it('are those of the highest priority first', async () => {
    await add(2);
    await queue.add('reason', data, { jobId: 'low', priority: 9 });
    await queue.add('reason', data, { jobId: 'high', priority: 1 });
    const worker = await openWorker(8);
    const calls = worker.getBackend();
    const taken: unknown[] = [];
    for (const token of ['1', '2', '3', '4']) taken.push((await calls.moveToActive(token))[1]);
    expect(taken).to.deep.equal([idOf(0), idOf(1), 'high', 'low']);
  });
});

describeWithRedis('the jobs that a worker takes from Redis', function () {
  // BullMQ connects a client of a cluster again after up to 30 s, which is longer than a lock lasts.
  const itOnOneServer = usesCluster ? it.skip : it;

  itOnOneServer(
    'keep their lock when their end cannot be stored for a time, and end under it when it can',
    async () => {
      const server = await makeOwnRedis();
      const backend = await openBackend({ redisUrl: server.url, databaseUrl: '', onError: () => {} });
      const queue = backend.makeQueue('catalog');
      await queue.waitUntilReady();
      await backend.addJob(queue, { jobId: idOf(0), name: 'reason', data });
      const worker = backend.makeWorker('catalog', null, 1);
      const calls = worker.getBackend() as unknown as RedisQueueBackend;
      await calls.moveToActive('token');
      const job = { id: idOf(0), data, opts: jobOptions } as unknown as Parameters<
        typeof calls.moveToFailed
      >[0];
      const fields = { failedReason: 'bug', stacktrace: '[]' };
      const fail = async () => {
        await calls.moveToFailed(job, 'bug', jobOptions.removeOnFail, 'token', false, fields);
        return 'failed';
      };
      const failOrSay = () => fail().catch(({ message }: Error) => message);
      (await calls.client).disconnect();
      expect(await failOrSay()).to.equal('Connection is closed.');
      await eventually(failOrSay, 'failed');
      expect(await queue.getFailedCount()).to.equal(1);
      await Promise.all([worker.close(), queue.close()]);
      await backend.close();
      await server.kill();
    },
  );
});

describe('the jobs that a worker has taken and does not begin', () => {
  it('are given back before their locks expire', async () => {
    const isGivenBack = new Promise(resolve => {
      const taken = new TakenJobs(async jobs => resolve(jobs.map(({ id }) => id)));
      taken.add([{ id: 'k1', lock: 'k1', hostShare: undefined, fetched: [] }]);
    });
    const done = new AbortController();
    // Timers end in their order, however long a machine stops.
    const expired = delay(LOCK_MS, 'expired', { signal: done.signal }).catch(() => undefined);
    expect(await Promise.race([isGivenBack, expired])).to.deep.equal(['k1']);
    done.abort();
  });
});

describe('the replies of the jobs that a worker took', () => {
  /** The largest number of replies that were being stored at a time. */
  const storeAtOnce = async (sealed: string) => {
    const ids = ['k1', 'k2', 'k3'];
    let [storing, most] = [0, 0];
    // Longer than all the others take to come.
    const ended = setImmediate()
      .then(() => setImmediate())
      .then(() => setImmediate());
    const calls = {
      take: async () => ({
        jobs: ids.map(id => ({ id, lock: id, hostShare: undefined, fetched: [{ id }, id, 0, 0] })),
        waiting: 0,
      }),
      async finish(jobs: readonly unknown[]) {
        storing += 1;
        most = Math.max(most, storing);
        await ended;
        storing -= 1;
        return { completed: jobs.map(() => true), jobs: [], waiting: 0 };
      },
    };
    const backend = new TakingBackend({} as IQueueBackend, calls as unknown as QueueCalls, {
      isFair: false,
      slots: () => ids.length,
    });
    for (const id of ids) await backend.moveToActive(id);
    for (const [at, id] of ids.entries()) {
      const job = { id, data: { ...data, hostId: `h${at}` }, opts: jobOptions } as unknown as Completing;
      const keep = jobOptions.removeOnComplete;
      pending.push(backend.moveToCompleted(job, { code: 200, sealed }, keep, id, false));
      // Of one tick of the event loop they would go together.
      await setImmediate();
    }
    await Promise.all(pending.splice(0));
    return most;
  };
  const pending: Promise<unknown>[] = [];

  it('are stored one at a time where they have megabytes, so that others reach the store between them', async () => {
    expect(await storeAtOnce('x'.repeat(2_000_000))).to.equal(1);
  });

  it('are stored at once where they are short', async () => {
    expect(await storeAtOnce('x')).to.be.greaterThan(1);
  });
});
