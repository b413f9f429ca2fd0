import { createRequire } from 'node:module';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { FINISHED_JOB_SECONDS } from '../../queues/transport/job-limits.ts';
import { openOnce } from '../support/opened.ts';
import { describeWithOneRedis, makeOwnRedis } from '../support/own-redis.ts';
import {
  dataOf,
  hostsLeftOut,
  hostsOverLimit,
  makeFairStep,
  makeRandom,
  makeStep,
  takeFairStep,
  takeStep,
} from './queue-steps.ts';
import { type HeldJob, QueueTwin, RENEWED_MS, type StoredQueue, type TwinStore } from './queue-twin.ts';

const TIMES = new Set(['processedOn', 'finishedOn']);

/**
 * The time of the last stall check expires by itself, at a slightly different moment in each run. The counter of the
 * priorities begins anew when nothing waits, in ours with the last job and in BullMQ's with the next take.
 */
const UNSTEADY = /:(events|stalled-check|pc)$/;

/** All keys of BullMQ with all their fields, except the event streams. */
async function readQueueKeys(redis: Redis): Promise<StoredQueue> {
  const keys = (await redis.keys('*')).filter(key => !UNSTEADY.test(key)).toSorted();
  const values = await Promise.all(keys.map(async key => [key, await readKey(redis, key)]));
  return Object.fromEntries(values) as StoredQueue;
}

async function readKey(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return maskFields(await redis.hgetall(key));
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'zset':
      return key.endsWith(':prioritized')
        ? redis.zrange(key, '0', '-1')
        : (await redis.zrange(key, '0', '-1')).toSorted();
    case 'set':
      return (await redis.smembers(key)).toSorted();
    default:
      return key.endsWith(':lock') ? readLock(redis, key) : redis.get(key);
  }
}

/** Its value differs; all that matters is that it expires. */
async function readLock(redis: Redis, key: string): Promise<string> {
  return (await redis.pttl(key)) > 0 ? 'expires' : 'stays';
}

function maskFields(fields: Record<string, string>): Record<string, unknown> {
  const mask = ([name, value]: [string, string]) => {
    if (TIMES.has(name)) return [name, 'time'];
    // The order of the options differs.
    return [name, name === 'opts' ? JSON.parse(value) : value];
  };
  return Object.fromEntries(Object.entries(fields).map(mask)) as Record<string, unknown>;
}

interface RedisTwin extends TwinStore {
  readonly redis: Redis;
}

const keyOf = (name: string) => `{parley:turns}:turns:${name}`;

function makeRedisTwin(redisUrl: string): RedisTwin {
  const redis = new Redis(redisUrl);
  return {
    redis,
    address: { redisUrl, databaseUrl: '' },
    prolongLocks: ids => Promise.all(ids.map(id => redis.pexpire(keyOf(`${id}:lock`), RENEWED_MS))),
    loseLock: id => redis.del(keyOf(`${id}:lock`)),
    dropWake: () => redis.del(keyOf('marker')),
    forgetStallCheck: () => redis.del(keyOf('stalled-check')),
    sortStalled: async () => {},
    async age() {
      const old = Date.now() - 2 * FINISHED_JOB_SECONDS * 1_000;
      const key = keyOf('completed');
      for (const id of await redis.zrange(key, '0', '-1')) await redis.zadd(key, old, id);
    },
    async hideAllBut(ids) {
      const [wait, fair] = [keyOf('wait'), keyOf('prioritized')];
      const counter = await redis.get(keyOf('pc'));
      const waiting = (await redis.lrange(wait, 0, -1)).filter(id => !ids.includes(id));
      const scores = await redis.zrange(fair, '0', '-1', 'WITHSCORES');
      const placed = scores.flatMap((id, at) => (at % 2 || ids.includes(id) ? [] : [[scores[at + 1], id]]));
      for (const id of waiting) await redis.lrem(wait, 1, id);
      for (const [, id] of placed) await redis.zrem(fair, id as string);
      return async () => {
        if (waiting.length > 0) await redis.rpush(wait, ...waiting);
        for (const [score, id] of placed) await redis.zadd(fair, score as string, id as string);
        if (waiting.length + placed.length > 0) await redis.zadd(marker, 0, '0');
        // BullMQ drops it when nothing seems to wait.
        if (placed.length > 0 && counter) await redis.set(keyOf('pc'), counter);
      };
    },
    async read() {
      // Another test has the job that is taken as it is added.
      await redis.del(keyOf('ready'));
      return readQueueKeys(redis);
    },
    async close() {
      redis.disconnect();
    },
  };
}

/** Our scripts write the keys of this version: another one needs a look at what its scripts changed. */
const BULLMQ = '6.7.0';
/** `npm run test:long` takes fifteen. */
const SEQUENCES = process.env['RUNS'] ? 15 : 5;
const STEPS = 60;
const marker = '{parley:turns}:turns:marker';

/** Wakes workers: ours must set it when a job waits that may be taken, but not after every take. */
function checkMarker(library: StoredQueue, ours: StoredQueue): void {
  const waiting = ours['{parley:turns}:turns:wait'] ?? ours['{parley:turns}:turns:prioritized'];
  const meta = ours['{parley:turns}:turns:meta'] as object;
  if (waiting && !('paused' in meta)) expect(ours).to.have.property(marker);
  if (marker in ours) expect(library).to.have.property(marker);
}

// The order of a set differs between servers, so both twins are on one; `npm run test:long` starts it in any case.
(process.env['RUNS'] ? describe : describeWithOneRedis)('our scripts on the keys of BullMQ', () => {
  const redis = openOnce(makeOwnRedis);
  let twins: QueueTwin<RedisTwin>[] = [];
  afterEach(async () => {
    await Promise.all(twins.map(({ store }) => store.redis.flushdb()));
    await Promise.all(twins.splice(0).map(twin => twin.close()));
  });

  const openTwins = () => {
    const open = (number: number) =>
      QueueTwin.open(makeRedisTwin(redis.url.replace(/0$/, String(number))), number % 2 === 0);
    return Promise.all([open(1), open(2)]);
  };

  it(`were compared with version ${BULLMQ}`, () => {
    const { version } = createRequire(import.meta.url)('bullmq/package.json') as { version: string };
    expect(version).to.equal(BULLMQ);
  });

  for (const [state, spoil, refusal] of [
    ['without a lock', (twin, key) => twin.store.redis.del(`${key}:lock`), 'Missing lock'],
    ['with a lock of another', (twin, key) => twin.store.redis.set(`${key}:lock`, 'other'), 'Lock mismatch'],
    ['that is gone', (twin, key) => twin.store.redis.del(key), 'Missing key'],
    [
      'that is not active',
      twin => twin.store.redis.del(twin.queue.toKey('active')),
      'not in the active state',
    ],
  ] as [string, (twin: QueueTwin<RedisTwin>, key: string) => Promise<unknown>, string][])
    it(`refuse to complete a job ${state}, with the same error and keys`, async () => {
      twins = await openTwins();
      const results = twins.map(async twin => {
        await twin.add([{ id: 'k1x', data: dataOf(1) }]);
        await twin.take(1);
        await spoil(twin, twin.queue.toKey('k1x'));
        const [error] = await twin.complete(twin.held.slice(), false);
        return { error, keys: { ...(await twin.store.read()), [marker]: '' } };
      });
      const [theirs, own] = await Promise.all(results);
      expect(own?.error).to.include(refusal);
      expect(own).to.deep.equal(theirs);
    });

  it('refuse to complete a job for a run whose lock has expired, although its worker runs the job again', async () => {
    twins = await openTwins();
    const results = twins.map(async twin => {
      // BullMQ's script ends the first, of an older requester, and takes the next under the same lock.
      await twin.add([5, 6].map(id => ({ id: `k${id}x`, data: dataOf(id) })));
      await twin.take(2);
      const [first, second] = twin.held.slice() as [HeldJob, HeldJob];
      await twin.loseLock(second);
      expect([await twin.checkStalled(), await twin.checkStalled()].flat()).to.deep.equal([second.id]);
      await twin.complete([first], true);
      const [older, newer] = twin.held.slice() as [HeldJob, HeldJob];
      expect([older.id, newer.id]).to.deep.equal([second.id, second.id]);
      expect(newer.token).to.not.equal(older.token);
      return [...(await twin.complete([older], false)), ...(await twin.complete([newer], false))];
    });
    for (const [older, newer] of await Promise.all(results)) {
      expect(older).to.include('Lock mismatch');
      expect(newer).to.equal(undefined);
    }
  });

  for (const [order, hostShare] of [
    ['add', undefined],
    ['addFairly', { host: 'host', share: 1 }],
  ] as const)
    it(`leave of a job that is taken as it is added what its take leaves (${order})`, async () => {
      twins = await openTwins();
      const [library, ours] = twins as [QueueTwin<RedisTwin>, QueueTwin<RedisTwin>];
      await Promise.all(twins.map(twin => twin.take(8)));
      await Promise.all(twins.map(twin => twin[order]([{ id: 'k1x', data: dataOf(1), hostShare }])));
      await library.take(1);
      const handed = await readQueueKeys(ours.store.redis);
      expect(handed).to.have.property(keyOf('active'));
      await ours.waitAndTake();
      expect(ours.held.map(({ taken }) => taken)).to.deep.equal(library.held.map(({ taken }) => taken));
      const [theirs, own] = await Promise.all(twins.map(({ store }) => store.read()));
      delete theirs?.[marker];
      expect(own).to.deep.equal(theirs);
    });

  for (let seed = 1; seed <= SEQUENCES; seed += 1) {
    it(`leave every key and field as those of BullMQ do, after each step of sequence ${seed}`, async () => {
      const [library, ours] = await openTwins();
      twins = [library, ours];
      await Promise.all(twins.map(({ store }) => store.redis.del(marker)));
      const random = makeRandom(seed);
      const done: string[] = [];
      for (let at = 0; at < STEPS; at += 1) {
        const [name, step] = makeStep(random);
        done.push(name);
        const { results, held, stored } = await takeStep([library, ours], step);
        const [theirs = {}, own = {}] = stored;
        checkMarker(theirs, own);
        for (const keys of [theirs, own]) delete keys[marker];
        expect(own, done.join(', ')).to.deep.equal(theirs);
        expect(results[1], done.join(', ')).to.equal(results[0]);
        expect(held[1], done.join(', ')).to.deep.equal(held[0]);
      }
    });
  }

  for (let seed = 1; seed <= SEQUENCES; seed += 1) {
    it(`do so for jobs of hosts with shares, within the limits of their slots, in sequence ${seed}`, async () => {
      const [library, ours] = await openTwins();
      twins = [library, ours];
      const random = makeRandom(seed);
      const done: string[] = [];
      for (let at = 0; at < STEPS; at += 1) {
        const step = makeFairStep(random, ours.held.length);
        done.push(step.name);
        const { held, results, stored, taken } = await takeFairStep([library, ours], step);
        const [theirs = {}, own = {}] = stored;
        checkMarker(theirs, own);
        for (const keys of [theirs, own]) delete keys[marker];
        expect([own, results[1], held[1]], done.join(', ')).to.deep.equal([theirs, results[0], held[0]]);
        if (step.freeSlots !== undefined)
          expect(hostsOverLimit(taken, ours, step.freeSlots), done.join(', ')).to.deep.equal([]);
        if (step.name === 'take')
          expect(await hostsLeftOut(ours, (step.freeSlots ?? 0) - taken.length)).to.deep.equal([]);
      }
    });
  }
});
