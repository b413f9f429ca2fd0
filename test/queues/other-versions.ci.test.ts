import {
  type BackendFactory,
  createPostgresBackend,
  type IQueueBackend,
  type Processor,
  Worker,
} from 'bullmq';
import { expect } from 'chai';
import { makeSeal } from '../../platform/seal.ts';
import { type BackendOptions, openBackend } from '../../queues/transport/backend.ts';
import { makeQueuedJob } from '../../queues/transport/request.ts';
import type { JobData, JobReply } from '../../queues/transport/store.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';
import { makeOwnRedis, openRedisClient, usesCluster, usesRedis } from '../support/own-redis.ts';
import { joinPair, PAIR_KEY } from './queue-pair.ts';

/* During an update, processes of two versions share a queue. Those before the published replies only know BullMQ’s events. */

type Address = Pick<BackendOptions, 'redisUrl' | 'databaseUrl'>;
type Work = Processor<JobData, JobReply>;

interface VersionedStore {
  readonly address: Address;
  makeOlderWorker(work: Work): { waitUntilReady(): Promise<unknown>; close(): Promise<void> };
  drop(): Promise<void>;
}

async function makeRedis(): Promise<VersionedStore> {
  const { url, kill } = await makeOwnRedis();
  const client = usesCluster ? openRedisClient(url) : undefined;
  const connection = client ?? { url, maxRetriesPerRequest: null };
  return {
    address: { redisUrl: url, databaseUrl: '' },
    makeOlderWorker: work =>
      new Worker<JobData, JobReply>('turns', work, { prefix: '{parley:turns}', connection, concurrency: 8 }),
    async drop() {
      client?.disconnect();
      await kill();
    },
  };
}

async function makePostgres(): Promise<VersionedStore> {
  const { url, drop } = await makeDatabase('empty', { hasQueues: true });
  const factory = createPostgresBackend as unknown as BackendFactory<IQueueBackend>;
  const options = { connection: { connectionString: url, max: 2 }, concurrency: 8 };
  return {
    address: { databaseUrl: url },
    makeOlderWorker: work =>
      new Worker<JobData, JobReply, string, IQueueBackend>('turns', work, options, factory),
    drop,
  };
}

const [name, makeStore] = usesRedis
  ? (['Redis', makeRedis] as const)
  : (['PostgreSQL', makePostgres] as const);

describe(`a reply between two versions on ${name}`, () => {
  const seal = makeSeal(PAIR_KEY);
  const store = openOnce(makeStore);
  const pair = openOnce(() => {
    const side = { ...store.address, onError: () => {} };
    return joinPair({ requester: side, worker: side, timeoutMs: 10_000, concurrency: 8 });
  });
  before(async () => {
    pair.answerWith(async ({ body }) => ({ code: 200, data: body }));
  });

  it('of a worker that publishes none is found by polling', async () => {
    const work = async ({ id = '' }: { id?: string }): Promise<JobReply> => ({
      code: 200,
      sealed: await seal.seal({ code: 200, data: 'of the older worker' }, id),
    });
    const older = store.makeOlderWorker(work);
    let release = () => {};
    const released = new Promise<void>(resolve => (release = resolve));
    pair.answerWith(async () => {
      await released;
      return { code: 404, message: 'of the newer worker' };
    });
    await older.waitUntilReady();
    // Either worker may take a job; the one of this version ends its own when the older one has ended one.
    const asked = Array.from({ length: 20 }, () => pair.ask({}));
    await Promise.any(asked.map(async each => expect((await each).code).to.equal(200)));
    release();
    const codes = (await Promise.all(asked)).map(({ code }) => code);
    await older.close();
    pair.answerWith(async ({ body }) => ({ code: 200, data: body }));
    expect(codes).to.include(200);
    const { polledReplies } = (await pair.progress()) ?? {};
    expect(polledReplies).to.be.at.least(codes.filter(code => code === 200).length);
  });

  it('reaches an older requester, which only reads events and names no channel', async () => {
    const older = await openBackend({ ...store.address, onError: () => {} });
    const [queue, events] = [older.makeQueue('turns'), older.makeEvents('turns')];
    await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
    const request = {
      operation: 'reason',
      queue: 'turns',
      requestId: 'r',
      arrivedAt: older.now(),
      timeoutMs: 10_000,
      caller: { tokenId: 't', tokenName: 't', scopes: [], hostIds: ['host'] },
      body: 'of the older requester',
      clientGone: new AbortController().signal,
    } as const;
    const { jobId, data: newer } = await makeQueuedJob(request, seal, 'unknown');
    const { replyTo: _replyTo, ...data } = newer;
    // From the start: a listener that is ready may not know yet where its events begin.
    const reply = new Promise<JobReply>(resolve =>
      events.on('completed', end => end.jobId === jobId && resolve(end.returnvalue)),
    );
    await older.addJob(queue, { jobId, name: 'reason', data });
    expect(await seal.open((await reply).sealed, jobId)).to.deep.equal({ code: 200, data: request.body });
    await Promise.all([queue.close(), events.close()]);
    await older.close();
  });
});
