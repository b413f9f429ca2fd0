import type { IQueueBackend } from 'bullmq';
import { expect } from 'chai';
import { jobOptions, limitHosts } from '../../queues/transport/job-limits.ts';
import type { ParleyWorker } from '../../queues/transport/parts.ts';
import { eventually } from '../support/eventually.ts';
import { openOwnQueue, ownStore } from './own-store.ts';

const slotsOf = (host: string, count: number) => Array.from({ length: count }, () => host);

describe('the limits of hosts', () => {
  it('leave a host that is alone all slots but one in twenty, and but one of few', () => {
    const most = (slots: number) => limitHosts([], slots).others;
    expect([1, 2, 3, 8, 9, 10, 48].map(most)).to.deep.equal([1, 1, 2, 7, 8, 9, 46]);
  });

  it('leave the last slot of a small worker to a host that holds none', () => {
    for (const slots of [2, 3, 8, 9, 10]) {
      const { byHost, others } = limitHosts(slotsOf('loud', slots - 1), 1);
      expect([byHost['loud'], others], String(slots)).to.deep.equal([0, 1]);
    }
  });

  it('leave slots for hosts that hold none, however many others hold all they may', () => {
    for (const hosts of [1, 2, 3, 10]) {
      const held = Array.from({ length: 46 }, (_, at) => `host${at % hosts}`);
      const { byHost, others } = limitHosts(held, 2);
      expect(Object.values(byHost)).to.deep.equal(Array.from({ length: hosts }, () => 0));
      expect(others).to.equal(1);
    }
  });
});

const SLOTS = 8;
const MAX_OF_ONE = 7;

type Completing = Parameters<IQueueBackend['moveToCompleted']>[0];

describe(`the slots of a worker on ${ownStore.name}`, () => {
  const { backend, queue, openWorker } = openOwnQueue('turns');
  let isOver: boolean;
  /** How to end each running job. */
  let running: Map<string, () => void>;
  beforeEach(() => {
    [isOver, running] = [false, new Map()];
  });
  afterEach(endJobs);

  function endJobs(): void {
    isOver = true;
    for (const end of running.values()) end();
  }
  const startWorker = () =>
    openWorker(SLOTS, async ({ id = '' }) => {
      if (!isOver) await new Promise<void>(resolve => running.set(id, resolve));
      running.delete(id);
      return { code: 200, sealed: '' };
    });
  const add = (host: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        backend.addJob(queue, {
          jobId: `${host}-${at}`,
          name: 'reason',
          data: { requestId: 'r', hostId: host, deadline: 0, sealed: '', replyTo: 'requester' },
          hostShare: { host, share: 1 },
        }),
      ),
    );
  const countOf = (host: string) => [...running.keys()].filter(id => id.startsWith(`${host}-`)).length;
  const untilRunning = (host: string, count: number) => eventually(() => countOf(host), count);
  const endAllOf = (host: string) => {
    for (const [id, end] of running) if (id.startsWith(`${host}-`)) end();
  };
  /** Until the worker has asked for more jobs several times. */
  const untilAskedAgain = async (worker: ParleyWorker) => {
    const calls = worker.getBackend();
    const moveToActive = calls.moveToActive.bind(calls);
    let takes = 0;
    calls.moveToActive = (...values) => {
      takes += 1;
      return moveToActive(...values);
    };
    await eventually(() => takes >= 5, true);
  };

  it('are not all held by one host with slow jobs: another’s begin, and its own go on when some end', async () => {
    const worker = await startWorker();
    await add('loud', 100);
    await untilRunning('loud', MAX_OF_ONE);
    await untilAskedAgain(worker);
    expect(countOf('loud')).to.equal(MAX_OF_ONE);
    await add('quiet', 1);
    await untilRunning('quiet', 1);
    endAllOf('loud');
    await eventually(() => countOf('loud') > 0, true);
    endAllOf('quiet');
    await untilRunning('loud', MAX_OF_ONE);
  });

  it('are offered by a second worker to the jobs that the first passed over', async () => {
    await startWorker();
    await add('loud', 100);
    await untilRunning('loud', MAX_OF_ONE);
    await startWorker();
    await untilRunning('loud', 2 * MAX_OF_ONE);
  });

  it('are counted without those that a host’s jobs have lent while they wait', async () => {
    const worker = await startWorker();
    const tokens: string[] = [];
    worker.on('active', job => tokens.push(job.token as string));
    await add('loud', 100);
    await untilRunning('loud', MAX_OF_ONE);
    const reclaims = tokens.slice(0, 5).map(token => worker.lendSlot(token));
    await untilRunning('loud', MAX_OF_ONE + 5);
    for (const take of reclaims) take();
    expect(worker.concurrency).to.equal(SLOTS);
  });

  it('are limited for jobs that stalled, too, which keep their places before newer ones', async () => {
    await add('loud', 40);
    const dead = await openWorker(100);
    for (let at = 0; at < 20; at += 1) await dead.getBackend().moveToActive(`dead-${at}`);
    await ownStore.expireLocks();
    const worker = await startWorker();
    await eventually(() => running.size, MAX_OF_ONE);
    // All that the dead worker had begun wait again.
    await eventually(() => queue.getActiveCount(), MAX_OF_ONE);
    await untilAskedAgain(worker);
    expect(running.size).to.equal(MAX_OF_ONE);
    await add('quiet', 1);
    await untilRunning('quiet', 1);
    endAllOf('loud');
    await eventually(() => running.has('loud-0') && running.has('loud-1'), Boolean);
  });

  describe('of which the test begins and ends each job', () => {
    /** Takes as many as it gets: the tokens by job. */
    const takeAll = async (worker: ParleyWorker) => {
      const tokens = new Map<string, string>();
      for (;;) {
        const token = String(tokens.size);
        const id = (await worker.getBackend().moveToActive(token))[1];
        if (typeof id !== 'string') return tokens;
        tokens.set(id, token);
      }
    };
    /** Returns the id of the job that its slot has then. */
    const end = async (worker: ParleyWorker, [id, token]: [string, string]) => {
      const [hostId = ''] = id.split('-');
      const data = { requestId: 'r', hostId, deadline: 0, sealed: '', replyTo: 'requester' };
      const job = { id, data, opts: jobOptions } as unknown as Completing;
      const reply = { code: 200, sealed: '' };
      const ended = await worker
        .getBackend()
        .moveToCompleted(job, reply, jobOptions.removeOnComplete, token, true);
      return Array.isArray(ended.result) ? ended.result[1] : undefined;
    };

    it('go on to the jobs of a host that is below its limit, of which a take left half to other workers', async () => {
      const worker = await openWorker(30);
      await add('loud', 40);
      const tokens = [...(await takeAll(worker))].slice(0, 15);
      const [next] = await Promise.all(tokens.map(token => end(worker, token)));
      expect(next).to.be.a('string');
      expect(await end(worker, [next as string, tokens[0]?.[1] ?? ''])).to.be.a('string');
    });

    it('go on to the next job of a host that was at its limit, when one of its jobs ends', async () => {
      const worker = await openWorker(30);
      await add('loud', 40);
      const [first] = await takeAll(worker);
      expect(first).to.be.an('array');
      expect(await end(worker, first ?? ['', ''])).to.be.a('string');
    });
  });

  it('are taken by every job in the end, whichever were passed over', async () => {
    await startWorker();
    await Promise.all([add('loud', 40), add('other', 40)]);
    await eventually(() => running.size >= MAX_OF_ONE, true);
    endJobs();
    const counts = () => queue.getJobCounts('completed', 'prioritized', 'active', 'waiting');
    const { completed } = await eventually(counts, seen => seen['active'] === 0 && seen['prioritized'] === 0);
    expect(completed).to.equal(80);
  });
});
