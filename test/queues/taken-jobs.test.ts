import type { RedisQueueBackend } from 'bullmq';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import { jobOptions } from '../../queues/transport/job-limits.ts';
import type { ParleyQueue, ParleyWorker } from '../../queues/transport/parts.ts';
import { eventually } from '../support/eventually.ts';
import { makeOwnRedis, type OwnRedis } from '../support/own-redis.ts';

describe('the jobs that a worker takes at once', function () {
  this.timeout(60_000);
  let server: OwnRedis;
  let redis: Redis;
  let backend: Backend;
  let queue: ParleyQueue;
  before(async () => {
    server = await makeOwnRedis();
    redis = new Redis(server.url);
  });
  beforeEach(async () => {
    await redis.flushall();
    backend = await openBackend({ redisUrl: server.url, databaseUrl: '', onError: () => {} });
    queue = backend.makeQueue('turns');
    await queue.waitUntilReady();
  });
  afterEach(async () => {
    await queue.close();
    await backend.close();
  });
  after(async () => {
    redis.disconnect();
    await server.kill();
  });

  const data = { requestId: 'r', hostId: null, deadline: 0, sealed: '', replyTo: 'asker' };
  const idOf = (at: number) => `k${at}x`;
  const add = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        backend.addJob(queue, { jobId: idOf(at), name: 'reason', data }),
      ),
    );
  /** A worker that begins only what the test asks for. */
  const makeWorker = async (concurrency: number): Promise<ParleyWorker> => {
    const worker = backend.makeWorker('turns', null, concurrency);
    await worker.waitUntilReady();
    return worker;
  };
  /** Oldest first. */
  const waiting = async () => (await redis.lrange(queue.toKey('wait'), 0, -1)).toReversed();
  const active = () => redis.llen(queue.toKey('active'));

  it('are given back in their order when it closes, those that it has not begun', async () => {
    await add(5);
    const worker = await makeWorker(8);
    await worker.getBackend().moveToActive('token');
    expect(await active()).to.equal(5);
    await worker.close();
    expect(await waiting()).to.deep.equal([1, 2, 3, 4].map(idOf));
    expect(await redis.exists(queue.toKey('marker'))).to.equal(1);
  });

  it('are given back when it does not begin them, long before their locks expire', async () => {
    await add(3);
    const worker = await makeWorker(8);
    await worker.getBackend().moveToActive('token');
    await eventually(waiting, ids => ids.length === 2, 4_000);
    expect(await waiting()).to.deep.equal([1, 2].map(idOf));
    await worker.close();
  });

  it('are no more than it has free slots, and half of many, so that another worker gets the rest', async () => {
    await add(40);
    const [small, large] = await Promise.all([makeWorker(3), makeWorker(64)]);
    await small.getBackend().moveToActive('token');
    expect(await active()).to.equal(3);
    await large.getBackend().moveToActive('token');
    expect(await active()).to.equal(3 + Math.ceil(37 / 2));
    await Promise.all([small.close(), large.close()]);
  });

  it('are given back at once when they come while it closes', async () => {
    await add(3);
    const worker = await makeWorker(8);
    const taking = worker.getBackend().moveToActive('token');
    worker.emit('closing', 'closing queue');
    expect((await taking)[0]).to.equal(null);
    await worker.close();
    expect(await waiting()).to.deep.equal([0, 1, 2].map(idOf));
  });

  it('keep their locks while they run, which BullMQ renews under its own tokens', async () => {
    await add(2);
    const worker = await makeWorker(8);
    const calls = worker.getBackend();
    const taken = [await calls.moveToActive('one'), await calls.moveToActive('two')];
    const ids = taken.map(([, id]) => id as string);
    expect(await calls.extendLocks(ids, ['one', 'two'], 60_000)).to.deep.equal([]);
    for (const id of ids) expect(await redis.pttl(queue.toKey(`${id}:lock`))).to.be.above(6_000);
    expect(await calls.extendLocks(ids, ['three', 'four'], 60_000)).to.deep.equal(ids);
    await worker.close();
  });

  it('keep their lock when their end cannot be told for a time, and end under it when it can', async () => {
    await add(1);
    const worker = await makeWorker(1);
    const calls = worker.getBackend() as RedisQueueBackend;
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
    await eventually(failOrSay, said => said === 'failed');
    expect(await redis.zrange(queue.toKey('failed'), '0', '-1')).to.deep.equal([idOf(0)]);
    await worker.close();
  });
});
