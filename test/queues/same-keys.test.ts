import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { JobData } from '../../queues/transport/store.ts';
import { makeOwnRedis, type OwnRedis } from '../support/own-redis.ts';
import type { QueueKeys } from '../support/queue-keys.ts';
import { type HeldJob, QueueTwin } from '../support/queue-twin.ts';

/** Our scripts write the keys of this version: another one needs a look at what its scripts changed. */
const BULLMQ = '6.7.0';
const SEQUENCES = 15;
const STEPS = 60;
const marker = '{parley}:turns:marker';

type Step = (twin: QueueTwin) => Promise<unknown>;

/** Pseudorandom numbers below `limit`, the same for each seed. */
function makeRandom(seed: number): (limit: number) => number {
  let state = seed;
  return limit => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** A step that the two twins take alike, because they hold the same jobs and pick them by number. */
function makeStep(random: (limit: number) => number): [name: string, step: Step] {
  const [ids, picked, many] = [[random(30), random(30), random(30)], random(1_000), 1 + random(4)];
  const jobs = ids.map(id => ({ id: `k${id}x`, data: dataOf(id) }));
  const isTrue = random(2) === 0;
  const pick = <T>(all: readonly T[]): T | undefined => all[picked % Math.max(all.length, 1)];
  const ofHeld = (work: (twin: QueueTwin, job: QueueTwin['held'][number]) => Promise<unknown>): Step => {
    return async twin => {
      const job = pick(twin.held);
      return job && work(twin, job);
    };
  };
  const finish: Step = async twin => {
    const [doomed] = twin.held.filter(({ isDoomed }) => isDoomed);
    return doomed ? twin.fail(doomed) : twin.complete(twin.held.slice(0, many), isTrue);
  };
  const retry = (state: 'completed' | 'failed'): Step => {
    return async twin => {
      const ended = await twin.queue.getJobs([state]);
      const job = pick(ended.toSorted((a, b) => (a.id as string).localeCompare(b.id as string)));
      return job?.retry(state).catch((error: Error) => error.message);
    };
  };
  const stall: Step = async twin => [await twin.checkStalled(), await twin.checkStalled()];
  const steps: [string, Step][] = [
    ['add', twin => twin.add(jobs.slice(0, many))],
    ['add', twin => twin.add(jobs.slice(0, many))],
    ['take', twin => twin.take(many)],
    ['wake', twin => twin.wake(many)],
    ['renew', twin => twin.renewLocks()],
    ['complete', finish],
    ['complete', finish],
    ['fail', ofHeld((twin, job) => twin.fail(job))],
    ['lose lock', ofHeld((twin, job) => twin.loseLock(job))],
    ['stall', stall],
    ['retry completed', retry('completed')],
    ['retry failed', retry('failed')],
    ['pause', twin => (isTrue ? twin.queue.pause() : twin.queue.resume())],
    ['resume', twin => twin.queue.resume()],
    ['remove', twin => twin.queue.remove(`k${ids[0]}x`).catch((error: Error) => error.message)],
    ['clean', twin => twin.queue.clean(0, 1_000, isTrue ? 'completed' : 'failed')],
    ['age', twin => twin.age()],
  ];
  return steps[random(steps.length)] as [string, Step];
}

function dataOf(id: number): JobData {
  const replyTo = id % 3 === 0 ? 'keyed' : 'asker';
  return {
    requestId: `r${id}`,
    hostId: null,
    deadline: 0,
    sealed: 'body',
    ...(id % 5 === 0 ? {} : { replyTo }),
  };
}

/** Wakes workers: ours must set it when a job waits that may be taken, but not after every take. */
function checkMarker(library: QueueKeys, ours: QueueKeys): void {
  const [waiting, meta] = [ours['{parley}:turns:wait'], ours['{parley}:turns:meta'] as object];
  if (waiting && !('paused' in meta)) expect(ours).to.have.property(marker);
  if (marker in ours) expect(library).to.have.property(marker);
}

describe('our scripts on the keys of BullMQ', function () {
  this.timeout(120_000);
  let redis: OwnRedis;
  let twins: QueueTwin[] = [];
  before(async () => {
    redis = await makeOwnRedis();
  });
  afterEach(async () => {
    await Promise.all(twins.map(({ redis: own }) => own.flushdb()));
    await Promise.all(twins.splice(0).map(twin => twin.close()));
  });
  after(() => redis.kill());

  const openTwins = () => {
    const open = (number: number) =>
      QueueTwin.open(redis.url.replace(/0$/, String(number)), number % 2 === 0);
    return Promise.all([open(1), open(2)]);
  };

  it(`were compared with version ${BULLMQ}`, () => {
    const { version } = createRequire(import.meta.url)('bullmq/package.json') as { version: string };
    expect(version).to.equal(BULLMQ);
  });

  for (const [state, spoil, refusal] of [
    ['without a lock', (twin, key) => twin.redis.del(`${key}:lock`), 'Missing lock'],
    ['with a lock of another', (twin, key) => twin.redis.set(`${key}:lock`, 'other'), 'Lock mismatch'],
    ['that is gone', (twin, key) => twin.redis.del(key), 'Missing key'],
    ['that is not active', twin => twin.redis.del(twin.queue.toKey('active')), 'not in the active state'],
  ] as [string, (twin: QueueTwin, key: string) => Promise<unknown>, string][]) {
    it(`refuse to complete a job ${state}, with the same error and keys`, async () => {
      twins = await openTwins();
      const results = twins.map(async twin => {
        await twin.add([{ id: 'k1x', data: dataOf(1) }]);
        await twin.take(1);
        await spoil(twin, twin.queue.toKey('k1x'));
        const [error] = await twin.complete(twin.held.slice(), false);
        return { error, keys: { ...(await twin.keys()), [marker]: '' } };
      });
      const [theirs, own] = await Promise.all(results);
      expect(own?.error).to.include(refusal);
      expect(own).to.deep.equal(theirs);
    });
  }

  it('refuse to complete a job for a run whose lock has expired, although its worker runs the job again', async () => {
    twins = await openTwins();
    const results = twins.map(async twin => {
      // BullMQ's script ends the first, of an older asker, and takes the next under the same lock.
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

  for (let seed = 1; seed <= SEQUENCES; seed += 1) {
    it(`leave every key and field as those of BullMQ do, after each step of sequence ${seed}`, async () => {
      const [library, ours] = await openTwins();
      twins = [library, ours];
      await Promise.all(twins.map(({ redis: own }) => own.del(marker)));
      const random = makeRandom(seed);
      const done: string[] = [];
      for (let at = 0; at < STEPS; at += 1) {
        const [name, step] = makeStep(random);
        done.push(name);
        const results = [await step(library), await step(ours)].map(result => JSON.stringify(sorted(result)));
        const [theirs, own] = await Promise.all([library.keys(), ours.keys()]);
        checkMarker(theirs, own);
        for (const keys of [theirs, own]) delete keys[marker];
        expect(own, done.join(', ')).to.deep.equal(theirs);
        expect(results[1], done.join(', ')).to.equal(results[0]);
        await Promise.all(twins.map(twin => twin.prolongLocks()));
      }
    });
  }
});

function sorted(result: unknown): unknown {
  return Array.isArray(result) && result.every(each => typeof each === 'string') ? result.toSorted() : result;
}
