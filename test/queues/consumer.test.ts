import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { makeSeal } from '../../platform/seal.ts';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import { type Consumer, type ConsumerOptions, makeConsumer } from '../../queues/transport/consumer.ts';
import { makeDispatcher } from '../../queues/transport/dispatcher.ts';
import type { ParleyWorker } from '../../queues/transport/parts.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { makeQueueStore } from '../support/queue-store.ts';
import { PAIR_KEY } from './queue-pair.ts';

const MINUTE_MS = 60_000;

describe('the worker side of a queue', () => {
  const store = openOnce(makeQueueStore);
  const backend = openOnce(() => openBackend({ ...store, onError: () => {} }));
  const dispatcher = openOnce(() => makeDispatcher(backend, makeSeal(PAIR_KEY), ['turns']));
  let bugs: unknown[] = [];
  const consumers: Consumer[] = [];
  beforeEach(() => {
    bugs = [];
  });
  afterEach(() => Promise.all(consumers.splice(0).map(consumer => consumer.close(0))));

  async function work(options: Partial<ConsumerOptions>): Promise<Consumer> {
    const consumer = await makeConsumer({
      backend,
      seal: makeSeal(PAIR_KEY),
      queue: 'turns',
      concurrency: 8,
      handle: async () => ({ code: 200, data: {} }),
      storeOutcome: async () => {},
      onError: error => bugs.push(error),
      onUnreadable: () => {},
      onBug: error => bugs.push(error),
      ...options,
    });
    consumers.push(consumer);
    return consumer;
  }

  const ask = (body: unknown = {}, clientGone = new AbortController().signal) =>
    dispatcher.ask({
      operation: 'reason',
      queue: 'turns',
      requestId: randomUUID(),
      arrivedAt: backend.now(),
      timeoutMs: 30_000,
      caller: { tokenId: 't', tokenName: 't', scopes: [], hostIds: ['host'] },
      body,
      clientGone,
    });

  it('removes jobs that completed and jobs that failed a minute after, also where no other job ends', async () => {
    const [queue] = dispatcher.queues();
    const countEnded = async () => queue?.getJobCounts('completed', 'failed');
    const readable = await work({});
    await ask();
    await readable.close(0);
    let tries = 0;
    const unreadable = await work({
      seal: makeSeal('another secret key of thirty-two characters'),
      onUnreadable: () => (tries += 1),
    });
    await ask();
    await unreadable.close(0);
    expect(await countEnded()).to.deep.equal({ completed: 1, failed: 1 });
    expect(tries).to.equal(1);

    let looks = 0;
    let aheadMs = MINUTE_MS / 2;
    const now = () => {
      looks += 1;
      return backend.now() + aheadMs;
    };
    await work({ backend: { ...backend, now }, cleanEveryMs: 5 });
    await eventually(() => looks >= 3, true);
    expect(await countEnded()).to.deep.equal({ completed: 1, failed: 1 });
    aheadMs = MINUTE_MS;
    await eventually(countEnded, seen => seen?.['completed'] === 0 && seen['failed'] === 0);
    expect(bugs).to.deep.equal([]);
  });

  it('tells of an outcome only when it is stored', async () => {
    let store = () => {};
    const stored = new Promise<void>(resolve => (store = resolve));
    let reached = () => {};
    const storing = new Promise<void>(resolve => (reached = resolve));
    await work({
      handle: async ({ body }) => ({ code: 200, data: body }),
      storeOutcome: async (_run, outcome) => {
        if (!('data' in outcome) || outcome.data !== 'slow') return;
        reached();
        await stored;
      },
    });
    const told: unknown[] = [];
    // So many that one which is told too early is told among them.
    const others = Array.from({ length: 20 }, (_, at) => at);
    const slow = ask('slow').then(outcome => told.push(outcome));
    await storing;
    for (const body of others) told.push(await ask(body));
    store();
    await slow;
    expect(told).to.deep.equal([...others, 'slow'].map(data => ({ code: 200, data })));
  });

  it('tells of an outcome that could not be stored, and of the trouble with it', async () => {
    const error = new Error('full');
    await work({ storeOutcome: () => Promise.reject(error) });
    expect(await ask()).to.deep.equal({ code: 200, data: {} });
    expect(bugs).to.deep.equal([error]);
  });

  it('does not begin a job whose deadline passed while it was taken', async () => {
    let begun = 0;
    const handle = async () => {
      begun += 1;
      return { code: 200, data: {} } as const;
    };
    await work({ handle, backend: { ...backend, now: () => backend.now() + MINUTE_MS } });
    expect((await ask()).code).to.equal(408);
    expect(begun).to.equal(0);
  });

  it('ends a job that is deaf when it has to stop, and whoever asked is refused with 503', async () => {
    let begin = () => {};
    const begun = new Promise<void>(resolve => (begin = resolve));
    const consumer = await work({
      handle: () => {
        begin();
        return new Promise(() => {});
      },
    });
    const asked = ask();
    await begun;
    await consumer.close(1);
    expect((await asked).code).to.equal(503);
  });

  it('gives its jobs their time also where BullMQ, whose store is away, closes before they have ended', async () => {
    let worker: ParleyWorker | undefined;
    const makeWorker: Backend['makeWorker'] = (...options) => {
      worker = backend.makeWorker(...options);
      // As on Redis, where a connection fails that is still being opened.
      worker.getBackend().disconnectBlocking = () => Promise.reject(new Error('connect ETIMEDOUT'));
      return worker;
    };
    let begin = () => {};
    const begun = new Promise<void>(resolve => (begin = resolve));
    let end = () => {};
    const released = new Promise<void>(resolve => (end = resolve));
    const ended: string[] = [];
    const consumer = await work({
      backend: { ...backend, makeWorker },
      handle: async () => {
        begin();
        await released;
        ended.push('job');
        return { code: 200, data: {} };
      },
    });
    const client = new AbortController();
    const asked = ask({}, client.signal);
    await begun;
    // It tells of its error first.
    const workerClosed = new Promise<void>(resolve => worker?.once('closed', resolve));
    const closed = consumer.close(60_000).then(() => ended.push('consumer'));
    await workerClosed;
    end();
    await closed;
    expect(ended).to.deep.equal(['job', 'consumer']);
    client.abort();
    await asked;
  });

  it('is told of as stuck where it takes none of the jobs that wait, and not while it has none or its store was away', async () => {
    const stuck: string[] = [];
    let [isReady, looks] = [true, 0];
    const { makeWorker } = backend;
    let takes: () => Promise<unknown> = async () => {};
    const deaf: Backend = {
      ...backend,
      isReady() {
        looks += 1;
        return isReady;
      },
      makeWorker(...made) {
        const worker = makeWorker(...made);
        const library = worker.getBackend();
        const take = library.moveToActive.bind(library);
        Object.assign(library, {
          moveToActive: async (...asked: Parameters<typeof take>) => (await takes(), take(...asked)),
        });
        return worker;
      },
    };
    await work({ backend: deaf, stuckAfterMs: 400, onStuck: name => stuck.push(name) });
    await ask();
    expect(stuck).to.deep.equal([]);
    takes = () => new Promise(() => {});
    void ask().catch(() => {});
    // While the store is away, and right after it.
    isReady = false;
    const looked = (more: number, from = looks) => eventually(() => looks >= from + more, true);
    await looked(8);
    isReady = true;
    await looked(2);
    expect(stuck).to.deep.equal([]);
    await eventually(() => stuck.includes('turns'), true);
  });
});
