import { expect } from 'chai';
import { type Backend, openBackend } from '../../queues/transport/backend.ts';
import { type ParleyWorker } from '../../queues/transport/parts.ts';
import { type JobReply, KEYED_CHANNEL } from '../../queues/transport/store.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openEach, openOnce } from '../support/opened.ts';
import { type ListeningRequester, openListeningRequester } from './listening-requester.ts';

const short = { code: 200, sealed: 'short' };
/** More than a NOTIFY carries. */
const long = { code: 200, sealed: 'x'.repeat(8_000) };

describe('the end of a job on PostgreSQL', () => {
  const database = openOnce(() => makeDatabase('empty', { hasQueues: true }));
  const requesters = openEach(async () => {
    const open = () => openListeningRequester(database.url);
    const all: [ListeningRequester, ListeningRequester] = [await open(), await open()];
    return Object.assign(all, { close: () => Promise.all(all.map(requester => requester.close())) });
  });
  let [backend, worker]: [Backend | undefined, ParleyWorker | undefined] = [undefined, undefined];
  afterEach(async () => {
    await worker?.close();
    await backend?.close();
  });

  const work = async (answer: () => Promise<JobReply>, isBatched = true) => {
    const options = { databaseUrl: database.url, onError: () => {} };
    backend = await openBackend({ ...options, isBatched: () => isBatched });
    worker = backend.makeWorker('turns', answer, 8);
    await worker.waitUntilReady();
  };
  const stored = (id: string) => database.db('bullmq.job').where({ queue: 'turns', id }).first();

  for (const isBatched of [true, false]) {
    const calls = isBatched ? 'our statements' : 'BullMQ’s own calls';

    it(`is announced through ${calls} with its reply to the requester, and to nobody else`, async () => {
      await work(async () => short, isBatched);
      const [requester, other] = requesters;
      const ids = await Promise.all([1, 2, 3].map(() => requester.add()));
      const ends = await Promise.all(ids.map(id => requester.waitForEndOf(id)));
      expect(ends).to.deep.equal(ids.map(jobId => ({ jobId, reply: short })));
      await other.waitForEndOf(await other.add());
      expect(other.received).to.have.length(1);
    });

    it(`is announced through ${calls} without its reply, which must be read, if that is too long`, async () => {
      await work(async () => long, isBatched);
      const [requester] = requesters;
      const jobId = await requester.add();
      expect(await requester.waitForEndOf(jobId)).to.deep.equal({ jobId, reply: undefined });
    });

    it(`is announced through ${calls} without its reply to all if the job has an Idempotency-Key`, async () => {
      await work(async () => short, isBatched);
      const jobId = await requesters[0].add({ replyTo: KEYED_CHANNEL });
      for (const requester of requesters)
        expect(await requester.waitForEndOf(jobId)).to.deep.equal({ jobId, reply: undefined });
    });

    it(`is announced through ${calls} without a reply if the job has failed`, async () => {
      await work(() => Promise.reject(new Error('bug')), isBatched);
      const [requester] = requesters;
      const jobId = await requester.add();
      expect(await requester.waitForEndOf(jobId)).to.deep.equal({ jobId, reply: undefined });
      expect((await stored(jobId)).state).to.equal('failed');
    });
  }

  it('completes also for a name that is no channel, and so do those that end with it', async () => {
    const [requester] = requesters;
    const replyTo = 'x'.repeat(100);
    const last = await requester.add();
    const ids = [await requester.add({ replyTo }), await requester.add({ replyTo: '' }), last];
    await work(async () => short);
    await requester.waitForEndOf(last);
    const states = async () => Promise.all(ids.map(async id => (await stored(id)).state));
    await eventually(states, all => all.every(state => state === 'completed'));
  });

  it('is received again after the connection was lost, and what was missed meanwhile is announced', async () => {
    await work(async () => short);
    const [requester] = requesters;
    const before = requester.gaps();
    await database.db.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query like 'listen parley%'`,
    );
    await eventually(requester.gaps, gaps => gaps > before);
    const jobId = await requester.add();
    expect(await requester.waitForEndOf(jobId)).to.deep.equal({ jobId, reply: short });
  });

  it('is counted also by a process that asked for nothing', async () => {
    await work(async () => short);
    const [requester, other] = requesters;
    const queue = other.backend.makeQueue('turns');
    const from = other.backend.now() - 60_000;
    const before = await other.backend.ends.find(queue, from);
    await requester.waitForEndOf(await requester.add());
    const { count, lastAt } = await other.backend.ends.find(queue, from);
    await queue.close();
    expect(count).to.equal(before.count + 1);
    expect(lastAt).to.be.within(from + 50_000, from + 120_000);
  });

  it('drops the long body of its job, but not of one with an Idempotency-Key', async () => {
    await work(async () => short);
    const [requester] = requesters;
    const sealed = 'y'.repeat(8_000);
    const fresh = await requester.add({ sealed });
    const keyed = await requester.add({ sealed, replyTo: KEYED_CHANNEL });
    await Promise.all([fresh, keyed].map(id => requester.waitForEndOf(id)));
    expect((await stored(fresh)).data.sealed).to.equal('');
    expect((await stored(keyed)).data.sealed).to.equal(sealed);
  });

  it('waits for a job whose row another transaction holds, and completes it, and all others at once', async () => {
    const answers: (() => void)[] = [];
    await work(() => new Promise(resolve => answers.push(() => resolve(short))));
    const [requester] = requesters;
    const [held, free] = [await requester.add(), await requester.add()];
    await eventually(() => answers.length, 2);
    await database.db.transaction(async tx => {
      await tx('bullmq.job').where({ queue: 'turns', id: held }).forUpdate();
      for (const answer of answers) answer();
      await requester.waitForEndOf(free);
      expect(requester.received.map(({ jobId }) => jobId)).to.not.include(held);
    });
    expect(await requester.waitForEndOf(held)).to.deep.equal({ jobId: held, reply: short });
    expect((await stored(held)).state).to.equal('completed');
  });

  it('waits for no job of a minute ago whose row another transaction holds', async () => {
    await work(async () => short);
    const [requester] = requesters;
    const old = await requester.add();
    await requester.waitForEndOf(old);
    const rows = () => database.db('bullmq.job').where({ queue: 'turns', id: old });
    await rows().update({ finished_at_ms: database.db.raw('finished_at_ms - 3600000') });
    await database.db.transaction(async tx => {
      await tx('bullmq.job').where({ queue: 'turns', id: old }).forUpdate();
      const jobId = await requester.add();
      expect(await requester.waitForEndOf(jobId)).to.deep.equal({ jobId, reply: short });
    });
    await requester.waitForEndOf(await requester.add());
    expect(await rows()).to.deep.equal([]);
  });
});
