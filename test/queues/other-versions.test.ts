import { once } from 'node:events';
import { Worker } from 'bullmq';
import { expect } from 'chai';
import { makeSeal } from '../../platform/seal.ts';
import { openBackend } from '../../queues/transport/backend.ts';
import { makeQueuedJob } from '../../queues/transport/queued-job.ts';
import type { JobData, JobReply } from '../../queues/transport/store.ts';
import { makeOwnRedis, type OwnRedis } from '../support/own-redis.ts';
import { PAIR_KEY } from '../support/queue-pair.ts';
import { openRedisPair, type RedisPair } from '../support/redis-pair.ts';

/* During an update, processes of two versions share a queue. Those before the published replies only know BullMQ’s events. */

describe('a reply between two versions', function () {
  this.timeout(60_000);
  const seal = makeSeal(PAIR_KEY);
  let redis: OwnRedis;
  let pair: RedisPair;
  before(async () => {
    redis = await makeOwnRedis();
    pair = await openRedisPair(redis.url);
  });
  after(async () => {
    await pair.close();
    await redis.kill();
  });

  it('of a worker that publishes none is found by polling', async () => {
    const connection = { url: redis.url, maxRetriesPerRequest: null };
    const work = async ({ id = '' }: { id?: string }): Promise<JobReply> => ({
      code: 200,
      sealed: await seal.seal({ code: 200, data: 'of the older worker' }, id),
    });
    const older = new Worker<JobData, JobReply>('turns', work, {
      prefix: '{parley}',
      connection,
      concurrency: 8,
    });
    pair.answerWith(() => new Promise(() => {}));
    await older.waitUntilReady();
    // Either worker may take a job; this one ends only those of its own.
    const asked = Array.from({ length: 20 }, () => pair.ask({}, { timeoutMs: 2_000 }));
    const codes = (await Promise.all(asked)).map(({ code }) => code);
    await older.close();
    pair.answerWith(async ({ body }) => ({ code: 200, data: body }));
    expect(codes).to.include(200);
    expect(await pair.polledReplies()).to.be.at.least(codes.filter(code => code === 200).length);
  });

  it('reaches an older asker, which only reads events and names no channel', async () => {
    const older = await openBackend({ redisUrl: redis.url, databaseUrl: '', onError: () => {} });
    const [queue, events] = [older.makeQueue('turns'), older.makeEvents('turns')];
    await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
    const request = {
      operation: 'reason',
      queue: 'turns',
      requestId: 'r',
      arrivedAt: older.now(),
      timeoutMs: 10_000,
      caller: { tokenId: 't', tokenName: 't', scopes: [], hostIds: ['host'] },
      body: 'of the older asker',
      clientGone: new AbortController().signal,
    } as const;
    const { jobId, data: newer } = await makeQueuedJob(request, seal, 'unknown');
    const { replyTo: _replyTo, ...data } = newer;
    const completed = once(events, 'completed');
    await older.addJob(queue, { jobId, name: 'reason', data });
    const [{ jobId: endedId, returnvalue }] = await completed;
    expect(endedId).to.equal(jobId);
    expect(await seal.open(returnvalue.sealed, jobId)).to.deep.equal({ code: 200, data: request.body });
    await Promise.all([queue.close(), events.close()]);
    await older.close();
  });
});
