import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { makeSeal } from '../../platform/seal.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import { openBackend } from '../../queues/transport/backend.ts';
import { type JobRun, makeConsumer } from '../../queues/transport/consumer.ts';
import { makeDispatcher } from '../../queues/transport/dispatcher.ts';
import { makeOwnRedis, type OwnRedis } from '../support/own-redis.ts';

type Answer = (run: JobRun) => Promise<Outcome<unknown>>;

interface PairOptions {
  readonly isGathered?: boolean;
  /** Of the worker, if it differs. */
  readonly workerKey?: string;
  /** Of the asking side, if it differs. */
  readonly askerUrl?: string;
}

/** Both sides of one queue on this Redis. */
async function openPair(
  url: string,
  { isGathered = true, workerKey = 'key', askerUrl = url }: PairOptions = {},
) {
  const errors: string[] = [];
  const onError = (error: Error) => void errors.push(error.message);
  const open = (redisUrl: string) =>
    openBackend({ redisUrl, databaseUrl: '', onError, isGathered: () => isGathered });
  const [here, there] = await Promise.all([open(askerUrl), open(url)]);
  const dispatcher = await makeDispatcher(here, makeSeal('key'), ['turns']);
  const state: { answer: Answer } = { answer: async ({ body }) => ({ code: 200, data: body }) };
  const consumer = await makeConsumer({
    backend: there,
    seal: makeSeal(workerKey),
    queue: 'turns',
    concurrency: 8,
    handle: run => state.answer(run),
    storeOutcome: async () => {},
    onError: () => {},
    onUnreadable: () => {},
    onBug: () => {},
  });
  return {
    errors,
    state,
    ask: (body: unknown, idempotencyKey?: string) =>
      dispatcher.ask({
        operation: 'reason',
        queue: 'turns',
        requestId: 'r',
        arrivedAt: here.now(),
        timeoutMs: 10_000,
        caller: { tokenId: 't', tokenName: 't', scopes: [], hostIds: ['h'] },
        body,
        clientGone: new AbortController().signal,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      }),
    polledReplies: async () => (await dispatcher.progress(10_000))[0]?.polledReplies,
    progress: async () => (await dispatcher.progress(10_000))[0],
    async close() {
      await dispatcher.close();
      await consumer.close(0);
      await Promise.all([here.close(), there.close()]);
    },
  };
}

describe('a reply over Redis', function () {
  this.timeout(60_000);
  let redis: OwnRedis;
  let client: Redis;
  let pair: Awaited<ReturnType<typeof openPair>>;
  before(async () => {
    redis = await makeOwnRedis();
    client = new Redis(redis.url);
  });
  afterEach(async () => {
    await pair.close();
    await client.flushall();
  });
  after(async () => {
    client.disconnect();
    await redis.kill();
  });

  for (const isGathered of [true, false]) {
    const calls = isGathered ? 'our scripts' : 'BullMQ’s own calls';

    it(`is heard without polling through ${calls}, with and without a key, also by all who share one`, async () => {
      pair = await openPair(redis.url, { isGathered });
      pair.state.answer = async ({ body }) => {
        await delay(30);
        return { code: 200, data: body };
      };
      const many = Array.from({ length: 8 }, (_, n) => ({ n }));
      const expected = many.map(data => ({ code: 200, data }));
      expect(await Promise.all(many.map(body => pair.ask(body)))).to.deep.equal(expected);
      const askTwice = (body: { n: number }) => [1, 2].map(() => pair.ask(body, `key ${body.n}`));
      const shared = await Promise.all(many.flatMap(askTwice));
      expect(shared).to.deep.equal(expected.flatMap(reply => [reply, reply]));
      // On a busy machine a poll may be faster than a message.
      expect(await pair.polledReplies()).to.be.below(many.length / 2);
    });

    it(`that never comes because the job failed is told without polling through ${calls}`, async () => {
      pair = await openPair(redis.url, { isGathered, workerKey: 'another' });
      expect((await pair.ask({})).code).to.equal(503);
      expect(await pair.polledReplies()).to.equal(0);
    });
  }

  it('whose message is lost with the connection is found by polling', async () => {
    pair = await openPair(redis.url);
    pair.state.answer = async ({ body }) => {
      await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      return { code: 200, data: body };
    };
    expect(await pair.ask('lost')).to.deep.equal({ code: 200, data: 'lost' });
    expect(await pair.polledReplies()).to.equal(1);
  });

  it('is found by polling where the user may use no channels, and the error says so', async () => {
    await client.call('ACL', 'SETUSER', 'deaf', 'on', '>secret', '~*', '+@all', 'resetchannels');
    const askerUrl = redis.url.replace('redis://', 'redis://deaf:secret@');
    pair = await openPair(redis.url, { askerUrl });
    expect(await pair.ask('slow')).to.deep.equal({ code: 200, data: 'slow' });
    expect(await pair.polledReplies()).to.equal(1);
    expect(pair.errors.join()).to.match(/failed to subscribe to .*NOPERM/);
  });

  it('tells the progress of the queue to a process that asked for nothing', async () => {
    pair = await openPair(redis.url);
    await pair.ask({});
    const other = await openPair(redis.url);
    const { sinceEndedMs } = (await other.progress()) ?? {};
    await other.close();
    expect(sinceEndedMs).to.be.within(0, 10_000);
  });

  it('drops the long body of its job, but not of one with an Idempotency-Key', async () => {
    pair = await openPair(redis.url);
    const body = {
      text: randomBytes(9_000).toString('base64'),
    };
    await pair.ask(body);
    await pair.ask(body, 'kept');
    const keys = await client.keys('{parley}:turns:k*');
    const stored = await Promise.all(keys.map(key => client.hget(key, 'data')));
    const sealed = stored.map(data => (JSON.parse(data ?? '') as { sealed: string }).sealed.length);
    expect(sealed.filter(length => length === 0)).to.have.length(1);
    expect(sealed.filter(length => length > 8_000)).to.have.length(1);
  });
});
