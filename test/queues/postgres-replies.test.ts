import { expect } from 'chai';
import { type Backend, migrateQueues, openBackend } from '../../queues/transport/backend.ts';
import { type ParleyWorker } from '../../queues/transport/parts.ts';
import { EVERYONE, type JobReply } from '../../queues/transport/store.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type ListeningAsker, openListeningAsker } from '../support/listening-asker.ts';

const short = { code: 200, sealed: 'short' };
/** More than a NOTIFY carries. */
const long = { code: 200, sealed: 'x'.repeat(8_000) };

describe('the end of a job on PostgreSQL', () => {
  let database: TestDatabase;
  let askers: [ListeningAsker, ListeningAsker];
  let [backend, worker]: [Backend | undefined, ParleyWorker | undefined] = [undefined, undefined];
  before(async () => {
    database = await makeDatabase('empty');
    await migrateQueues(database.url);
  });
  beforeEach(async () => {
    askers = [await openListeningAsker(database.url), await openListeningAsker(database.url)];
  });
  afterEach(async () => {
    await worker?.close();
    await backend?.close();
    await Promise.all(askers.map(asker => asker.close()));
  });
  after(() => database.drop());

  const work = async (answer: () => Promise<JobReply>, isGathered = true) => {
    backend = await openBackend({
      databaseUrl: database.url,
      onError: () => {},
      isGathered: () => isGathered,
    });
    worker = backend.makeWorker('turns', answer, 8);
    await worker.waitUntilReady();
  };
  const stored = (id: string) => database.db('bullmq.job').where({ queue: 'turns', id }).first();

  for (const isGathered of [true, false]) {
    const calls = isGathered ? 'our statements' : 'BullMQ’s own calls';

    it(`is told through ${calls} with its reply to who asked, and to nobody else`, async () => {
      await work(async () => short, isGathered);
      const [asker, other] = askers;
      const ids = await Promise.all([1, 2, 3].map(() => asker.add()));
      const ends = await Promise.all(ids.map(id => asker.hearsEndOf(id)));
      expect(ends).to.deep.equal(ids.map(jobId => ({ jobId, reply: short })));
      await other.hearsEndOf(await other.add());
      expect(other.heard).to.have.length(1);
    });

    it(`is told through ${calls} without its reply, which must be read, if that is too long`, async () => {
      await work(async () => long, isGathered);
      const [asker] = askers;
      const jobId = await asker.add();
      expect(await asker.hearsEndOf(jobId)).to.deep.equal({ jobId, reply: undefined });
    });

    it(`is told through ${calls} without its reply to all if the job has an Idempotency-Key`, async () => {
      await work(async () => short, isGathered);
      const jobId = await askers[0].add({ replyTo: EVERYONE });
      for (const asker of askers)
        expect(await asker.hearsEndOf(jobId)).to.deep.equal({ jobId, reply: undefined });
    });

    it(`is told through ${calls} without a reply if the job has failed`, async () => {
      await work(() => Promise.reject(new Error('bug')), isGathered);
      const [asker] = askers;
      const jobId = await asker.add();
      expect(await asker.hearsEndOf(jobId)).to.deep.equal({ jobId, reply: undefined });
      expect((await stored(jobId)).state).to.equal('failed');
    });
  }

  it('completes also for a name that is no channel, and so do those that end with it', async () => {
    const [asker] = askers;
    const replyTo = 'x'.repeat(100);
    const last = await asker.add();
    const ids = [await asker.add({ replyTo }), await asker.add({ replyTo: '' }), last];
    await work(async () => short);
    await asker.hearsEndOf(last);
    const states = async () => Promise.all(ids.map(async id => (await stored(id)).state));
    await eventually(states, all => all.every(state => state === 'completed'));
  });

  it('is heard again after the connection was lost, and what was missed meanwhile is announced', async () => {
    await work(async () => short);
    const [asker] = askers;
    const before = asker.gaps();
    await database.db.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query like 'listen parley%'`,
    );
    await eventually(asker.gaps, gaps => gaps > before);
    const jobId = await asker.add();
    expect(await asker.hearsEndOf(jobId)).to.deep.equal({ jobId, reply: short });
  });

  it('is counted also by a process that asked for nothing', async () => {
    await work(async () => short);
    const [asker, other] = askers;
    const queue = other.backend.makeQueue('turns');
    const from = other.backend.now() - 60_000;
    const before = await other.backend.ends.find(queue, from);
    await asker.hearsEndOf(await asker.add());
    const { count, lastAt } = await other.backend.ends.find(queue, from);
    await queue.close();
    expect(count).to.equal(before.count + 1);
    expect(lastAt).to.be.within(from + 50_000, from + 120_000);
  });

  it('drops the long body of its job, but not of one with an Idempotency-Key', async () => {
    await work(async () => short);
    const [asker] = askers;
    const sealed = 'y'.repeat(8_000);
    const [fresh, keyed] = [await asker.add({ sealed }), await asker.add({ sealed, replyTo: EVERYONE })];
    await Promise.all([fresh, keyed].map(id => asker.hearsEndOf(id)));
    expect((await stored(fresh)).data.sealed).to.equal('');
    expect((await stored(keyed)).data.sealed).to.equal(sealed);
  });

  it('waits for a job whose row another transaction holds, and completes it, and all others at once', async () => {
    const answers: (() => void)[] = [];
    await work(() => new Promise(resolve => answers.push(() => resolve(short))));
    const [asker] = askers;
    const [held, free] = [await asker.add(), await asker.add()];
    await eventually(
      () => answers.length,
      count => count === 2,
    );
    await database.db.transaction(async tx => {
      await tx('bullmq.job').where({ queue: 'turns', id: held }).forUpdate();
      for (const answer of answers) answer();
      await asker.hearsEndOf(free);
      expect(asker.heard.map(({ jobId }) => jobId)).to.not.include(held);
    });
    expect(await asker.hearsEndOf(held)).to.deep.equal({ jobId: held, reply: short });
    expect((await stored(held)).state).to.equal('completed');
  });
});
