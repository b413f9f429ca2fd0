import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import { insertReply } from '../../db/replies.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { failure, type Outcome, type Refusal } from '../../queues/contract/failure.ts';
import type { Job } from '../../queues/transport/consumer.ts';
import type { Handlers } from '../../workers/runtime/job.ts';
import { makeJobHandler } from '../../workers/runtime/job-handler.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { withStalledCommits } from '../support/held-commit.ts';
import { openOnce } from '../support/opened.ts';
import { makeSwitchableProxy } from '../support/switchable-proxy.ts';

describe('the outcome of a job', () => {
  const database = openOnce(makeDatabase);
  const { db } = database;
  const host = openOnce(() => buildHost(db));

  const noOutage = { noteFailure: () => {}, noteSuccess: () => {} };
  const jobOf = (job: Partial<Job>) =>
    ({
      jobId: `k${randomUUID()}`,
      operation: 'reason',
      queue: 'turns',
      caller: { hostIds: [host.hostId] },
      ...job,
    }) as Job;
  const handlerOf = (reason?: Handlers['reason'], hosts = db) =>
    makeJobHandler(hosts, { reason } as Handlers, noOutage);

  /** The codes that are stored for a job with this outcome. */
  async function storedOf(job: Partial<Job>, outcome: Outcome<unknown>): Promise<number[]> {
    const all = jobOf(job);
    await handlerOf().storeOutcome(all, outcome);
    return db('replies').where({ job_id: all.jobId }).pluck('code');
  }
  const keyed = { idempotencyKey: 'mine' };
  const success = { code: 200, data: {} } as const;

  it('is stored under its key where a retry gets it again, and not where a retry runs anew', async () => {
    const notFound = failure('conversation-not-found');
    expect([await storedOf(keyed, success), await storedOf(keyed, notFound)]).to.deep.equal([[200], [404]]);
    for (const reason of ['deadline', 'too-many-requests', 'internal', 'interrupted'] satisfies Refusal[])
      expect(await storedOf(keyed, failure(reason)), reason).to.deep.equal([]);
  });

  it('is stored, whatever it is, where nobody waited for it, and not where somebody did', async () => {
    const trouble = failure('interrupted');
    expect(await storedOf({ isAsync: true }, success)).to.deep.equal([200]);
    expect(await storedOf({ ...keyed, isAsync: true }, trouble)).to.deep.equal([503]);
    expect([await storedOf({}, success), await storedOf({}, trouble)]).to.deep.equal([[], []]);
  });

  /** The address of a job is told this. */
  async function toldOf(work: (job: Job) => Promise<void>): Promise<unknown[]> {
    const { id: webhookId } = await db('webhooks').where({ host_id: host.hostId }).first('id');
    const callback = { webhookId, url: 'https://crm.example/done' };
    const job = jobOf({ isAsync: true, callback, arrivedAt: 1, body: {} });
    await work(job);
    const told: { jobId: string; state: string; code: number }[] = await db('events').pluck('data');
    return told.filter(({ jobId }) => jobId === job.jobId).map(({ state, code }) => [state, code]);
  }

  it('that is trouble is told to no address where the job has a reply, which is told once', async () => {
    const handler = handlerOf(job => job.commit(async () => ({ code: 200, data: {} as never })));
    const committed = await toldOf(async job => {
      await handler.handle(job);
      await handler.storeOutcome(job, failure('deadline'));
      await handler.storeOutcome({ ...job, arrivedAt: 2 }, success);
    });
    expect(committed).to.deep.equal([['completed', 200]]);
    const superseded = await toldOf(async job => {
      const { jobId, operation } = job;
      const reply = { jobId, operation, outcome: success, isFinal: true };
      await withHosts(db, [host.hostId], scope => insertReply(scope, reply));
      await handler.storeOutcome(job, failure('interrupted'));
    });
    expect(superseded).to.deep.equal([['completed', 200]]);
    const failed = await toldOf(job => handler.storeOutcome(job, failure('interrupted')));
    expect(failed).to.deep.equal([['failed', 503]]);
  });

  it('is that of an earlier run, whose worker died, or of an earlier request under its key, and nothing runs', async () => {
    for (const again of [{ isRerun: true }, { isRerun: false, ...keyed }]) {
      const run = jobOf(again);
      await handlerOf(job => job.commit(async () => ({ code: 200, data: {} as never }))).handle(run);
      expect(await handlerOf().handle(run)).to.deep.equal(success);
    }
  });

  it('is that of its commit, although the database gave no answer to that', async () => {
    const proxy = await makeSwitchableProxy(database.url);
    const through = Object.assign(new URL(database.url), { port: new URL(proxy.url).port });
    const patient = { acquireWithinMs: 60_000, connectWithinMs: 60_000 };
    const away = connect(through.href, { answerWithinMs: 1_000, ...patient });
    const handler = handlerOf(job => job.commit(async () => ({ code: 200, data: {} as never })), away);
    await withStalledCommits(db, async commits => {
      const handled = handler.handle(jobOf({}));
      await commits.waitForBlocked(1);
      proxy.dropAnswers();
      await commits.release();
      expect(await handled).to.deep.equal(success);
    });
    await away.destroy();
    await proxy.close();
  });

  it('is 422 where another request under its key is committed meanwhile', async () => {
    const job = jobOf({ ...keyed, bodyMac: 'own' });
    const { jobId, operation } = job;
    const other = { jobId, operation, key: 'mine', bodyMac: 'other', outcome: success, isFinal: true };
    const handler = handlerOf(async job => {
      await withHosts(db, [host.hostId], scope => insertReply(scope, other));
      return job.commit(async () => ({ code: 200, data: {} as never }));
    });
    expect(await handler.handle(job)).to.deep.equal(failure('key-reused'));
  });
});
