import type { IQueueBackend, RedisQueueBackend } from 'bullmq';
import { expect } from 'chai';
import { jobOptions } from '../../queues/transport/job-limits.ts';
import type { ParleyWorker } from '../../queues/transport/parts.ts';
import { eventually } from '../support/eventually.ts';
import { describeWithRedis } from '../support/own-redis.ts';
import { openOwnQueue, ownStore } from './own-store.ts';
import { makeRandom } from './queue-steps.ts';

type Completing = Parameters<IQueueBackend['moveToCompleted']>[0];

const data = { requestId: 'r', hostId: null, deadline: 0, sealed: '', replyTo: 'requester' };
/** So many free slots let a host have one more. */
const SLOTS = 8;

describeWithRedis('a job that is added while nothing waits but a worker', () => {
  const { backend, queue, openWorker, openBeside } = openOwnQueue('turns');
  const add = (jobId: string, host = 'host') =>
    backend.addJob(queue, { jobId, name: 'reason', data, hostShare: { host, share: 1 } });
  const openIdle = async (slots = SLOTS) => {
    const worker = await openWorker(slots);
    expect((await worker.getBackend().moveToActive('none'))[0]).to.equal(null);
    return worker.getBackend();
  };

  it('is taken by the call that adds it, and the next is not', async () => {
    const worker = await openIdle();
    await add('a');
    await add('b');
    expect([await queue.getActiveCount(), await queue.getPrioritizedCount()]).to.deep.equal([1, 1]);
    await worker.waitForJob(20);
    expect((await worker.moveToActive('one'))[1]).to.equal('a');
    expect(await worker.extendLocks(['a'], ['one'], 60_000)).to.deep.equal([]);
  });

  it('waits where one waits already, and where the worker keeps its free slots for other hosts', async () => {
    await add('a');
    const worker = await openWorker(2);
    expect((await worker.getBackend().moveToActive('one'))[1]).to.equal('a');
    await add('b');
    await add('c', 'other');
    expect(await queue.getActiveCount()).to.equal(1);
  });

  it('waits behind those that came together and wait', async () => {
    await openIdle();
    await Promise.all([add('a'), add('b')]);
    await add('c');
    expect(await queue.getActiveCount()).to.equal(0);
  });

  it('waits where that worker has closed', async () => {
    const worker = await openWorker(SLOTS);
    await worker.getBackend().moveToActive('one');
    await worker.close();
    await add('a');
    expect(await queue.getActiveCount()).to.equal(0);
  });

  it('is found by the next take where that worker has died, which has its lock alone', async () => {
    await openIdle();
    await add('a');
    const other = (await openWorker(SLOTS)).getBackend();
    expect((await other.moveToActive('two'))[1]).to.equal('a');
    expect(await other.extendLocks(['a'], ['two'], 60_000)).to.deep.equal([]);
  });

  it('waits again where nobody reads it before its lock expires', async () => {
    const worker = await openIdle();
    await add('a');
    await ownStore.expireLocks();
    await eventually(() => worker.moveStalledJobsToWait(), { length: 1 });
    expect((await worker.moveToActive('one'))[1]).to.equal('a');
    expect((await worker.moveToActive('two'))[1]).to.equal(null);
  });

  /** What a worker does by hand: it asks, waits, begins, ends, or is killed at any of these moments. */
  class ByHand {
    readonly #worker: ParleyWorker;
    readonly #run = new Map<string, string>();
    #tokens = 0;
    constructor(worker: ParleyWorker) {
      this.#worker = worker;
    }

    get running(): readonly string[] {
      return [...this.#run.keys()];
    }

    async take(): Promise<string | undefined> {
      const token = `t${++this.#tokens}`;
      const [, id] = await this.#worker.getBackend().moveToActive(token);
      if (typeof id !== 'string') return undefined;
      this.#run.set(id, token);
      return id;
    }

    async waitAndTake(): Promise<string | undefined> {
      await this.#worker.getBackend().waitForJob(0.01);
      return this.take();
    }

    /** Whether it was completed under its own lock. */
    async complete(id: string): Promise<boolean> {
      const token = this.#run.get(id) as string;
      this.#run.delete(id);
      const job = { id, data, opts: jobOptions } as unknown as Completing;
      const reply = { code: 200, sealed: 'reply' };
      const keep = jobOptions.removeOnComplete;
      const ending = this.#worker.getBackend().moveToCompleted(job, reply, keep, token, true);
      const { result } = await ending.catch(() => ({ result: [] as unknown[] }));
      const next = Array.isArray(result) ? result[1] : undefined;
      if (typeof next === 'string') this.#run.set(next, token);
      return (await queue.getJob(id))?.finishedOn !== undefined;
    }

    async recoverStalled(): Promise<void> {
      await this.#worker.getBackend().moveStalledJobsToWait();
    }

    async kill(): Promise<void> {
      const library = this.#worker.getBackend() as unknown as RedisQueueBackend;
      (await library.client).disconnect();
      (await library.blockingClient)?.disconnect();
      this.#run.clear();
    }
  }

  for (let seed = 1; seed <= 6; seed += 1)
    it(`is neither lost nor run by two, whenever workers are killed, in sequence ${seed}`, async () => {
      const random = makeRandom(seed * 7_919);
      const open = async () => new ByHand(await (await openBeside()).openWorker(SLOTS));
      const workers = [await open(), await open()];
      const added: string[] = [];
      const runsOf = (id: string) => workers.filter(({ running }) => running.includes(id)).length;
      const steps: ((worker: ByHand, at: number) => Promise<unknown>)[] = [
        async () => add(added[added.push(`k${added.length}x`) - 1] as string, `h${random(3)}`),
        worker => worker.take(),
        worker => worker.waitAndTake(),
        async worker => worker.running[0] && worker.complete(worker.running[0]),
        async (worker, at) => {
          if (random(6) > 0) return;
          await worker.kill();
          workers[at] = await open();
        },
      ];
      for (let step = 0; step < 120; step += 1) {
        const at = random(workers.length);
        await steps[random(2) && random(steps.length)]?.(workers[at] as ByHand, at);
        for (const id of added) expect(runsOf(id), `${id} after step ${step}`).to.be.at.most(1);
      }
      const last = workers[0] as ByHand;
      const endAll = async () => {
        // Those of killed workers: their locks expire, as nobody renews them.
        if (workers.every(({ running }) => running.length === 0)) await ownStore.expireLocks();
        await last.waitAndTake();
        for (const worker of workers) for (const id of worker.running) await worker.complete(id);
        await last.take();
        await last.recoverStalled();
        return queue.getCompletedCount();
      };
      await eventually(endAll, added.length);
      expect(await queue.getFailedCount()).to.equal(0);
    });
});
