import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { openBackend } from '../../queues/transport/backend.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import {
  allKeys,
  describeWithRedis,
  makeOwnRedis,
  onEachServer,
  openRedisClient,
} from '../support/own-redis.ts';
import { openRedisPair, type RedisPair } from './redis-pair.ts';

describeWithRedis('a reply over Redis', () => {
  const redis = openOnce(makeOwnRedis);
  const client = openOnce(
    () => openRedisClient(redis.url),
    opened => opened.disconnect(),
  );
  const call = (...command: [string, ...string[]]) =>
    onEachServer(client, server => server.call(...command), 'all');
  let pair: RedisPair;
  afterEach(async () => {
    await pair.close();
    await onEachServer(client, server => server.flushall());
  });

  for (const isBatched of [true, false]) {
    const calls = isBatched ? 'our scripts' : 'BullMQ’s own calls';

    it(`is received without polling through ${calls}, with and without a key, also by all who share one`, async () => {
      pair = await openRedisPair(redis.url, { isBatched });
      pair.answerWith(async ({ body }) => {
        await delay(30);
        return { code: 200, data: body };
      });
      const many = Array.from({ length: 8 }, (_, n) => ({ n }));
      const expected = many.map(data => ({ code: 200, data }));
      expect(await Promise.all(many.map(body => pair.ask(body)))).to.deep.equal(expected);
      const askTwice = (body: { n: number }) =>
        [1, 2].map(() => pair.ask(body, { idempotencyKey: `key ${body.n}` }));
      const shared = await Promise.all(many.flatMap(askTwice));
      expect(shared).to.deep.equal(expected.flatMap(reply => [reply, reply]));
      // On a busy machine a poll may be faster than a message.
      expect(await pair.polledReplies()).to.be.below(many.length / 2);
    });

    it(`that never comes because the job failed is announced without polling through ${calls}`, async () => {
      pair = await openRedisPair(redis.url, { isBatched, workerKey: 'another' });
      expect((await pair.ask({})).code).to.equal(503);
      expect(await pair.polledReplies()).to.equal(0);
    });
  }

  it('whose message is lost with the connection is found by polling', async () => {
    pair = await openRedisPair(redis.url);
    pair.answerWith(async ({ body }) => {
      await call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      return { code: 200, data: body };
    });
    expect(await pair.ask('lost')).to.deep.equal({ code: 200, data: 'lost' });
    expect(await pair.polledReplies()).to.equal(1);
  });

  it('is found by polling where the user may use no channels, and the error says so', async () => {
    await call('ACL', 'SETUSER', 'deaf', 'on', '>secret', '~*', '+@all', 'resetchannels');
    const requesterUrl = redis.url.replaceAll('redis://', 'redis://deaf:secret@');
    pair = await openRedisPair(redis.url, { requesterUrl });
    expect(await pair.ask('slow')).to.deep.equal({ code: 200, data: 'slow' });
    expect(await pair.polledReplies()).to.equal(1);
    expect(pair.errors.join()).to.match(/failed to subscribe to .*NOPERM/);
  });

  it('is found by polling when the user loses the right to channels, and nothing ends the process', async () => {
    const fatal: unknown[] = [];
    const note = (error: unknown) => void fatal.push(error);
    process.on('unhandledRejection', note);
    const grant = (...rights: string[]) => call('ACL', 'SETUSER', 'late', ...rights);
    await grant('on', '>secret', '~*', '+@all', 'allchannels');
    pair = await openRedisPair(redis.url, {
      requesterUrl: redis.url.replaceAll('redis://', 'redis://late:secret@'),
    });
    await eventually(pair.receivesEnds, Boolean);
    // Redis closes the subscriptions of the user.
    await grant('resetchannels');
    const refusals = () => pair.errors.filter(message => message.includes('NOPERM')).length;
    await eventually(refusals, count => count > 0);
    expect(await pair.ask('slow')).to.deep.equal({ code: 200, data: 'slow' });
    expect(await pair.polledReplies()).to.be.above(0);
    process.off('unhandledRejection', note);
    expect(fatal).to.deep.equal([]);
  });

  it('reports the progress of the queue to a process that requested nothing', async () => {
    pair = await openRedisPair(redis.url);
    await pair.ask({});
    const other = await openRedisPair(redis.url);
    const { sinceEndedMs } = (await other.progress()) ?? {};
    await other.close();
    expect(sinceEndedMs).to.be.within(0, 10_000);
  });

  it('drops the long body of its job, but not of one with an Idempotency-Key', async () => {
    pair = await openRedisPair(redis.url);
    const body = { text: randomBytes(9_000).toString('base64') };
    await pair.ask(body);
    await pair.ask(body, { idempotencyKey: 'kept' });
    const keys = await allKeys(client, '{parley:turns}:turns:k*');
    const stored = await Promise.all(keys.map(key => client.hget(key, 'data')));
    const sealed = stored.map(data => (JSON.parse(data ?? '') as { sealed: string }).sealed.length);
    expect(sealed.filter(length => length === 0)).to.have.length(1);
    expect(sealed.filter(length => length > 8_000)).to.have.length(1);
  });

  it('is not given again by a job whose body was dropped: retried by hand, it fails and says why', async () => {
    pair = await openRedisPair(redis.url);
    await pair.ask({ text: randomBytes(9_000).toString('base64') });
    const backend = await openBackend({ redisUrl: redis.url, databaseUrl: '', onError: () => {} });
    const queue = backend.makeQueue('turns');
    const find = async () => (await queue.getJobs(['completed', 'failed']))[0];
    await (await find())?.retry('completed');
    const failed = await eventually(find, job => job?.failedReason !== undefined);
    expect(failed?.failedReason).to.equal('the body of an answered job is not kept');
    await queue.close();
    await backend.close();
  });
});
