import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Db } from '../../db/connection.ts';
import { failure, type Outcome, type Refusal } from '../../queues/contract/failure.ts';
import type { JobRun } from '../../queues/transport/consumer.ts';
import type { Handlers } from '../../workers/runtime/job.ts';
import { makeJobHandler } from '../../workers/runtime/job-handler.ts';
import { type BuiltHost, buildHost } from '../support/build-host.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

describe('the outcome of a job', () => {
  let database: TestDatabase;
  let db: Db;
  let host: BuiltHost;
  before(async () => {
    database = await makeDatabase();
    db = database.db;
    host = await buildHost(db);
  });
  after(() => database.drop());

  /** The codes that are stored for a job with this outcome. */
  async function storedOf(run: Partial<JobRun>, outcome: Outcome<unknown>): Promise<number[]> {
    const noOutage = { noteFailure: () => {}, noteSuccess: () => {} };
    const jobId = `k${randomUUID()}`;
    const all = { jobId, operation: 'reason', queue: 'turns', caller: { hostIds: [host.hostId] }, ...run };
    await makeJobHandler(db, {} as Handlers, noOutage).storeOutcome(all as JobRun, outcome);
    return db('replies').where({ job_id: jobId }).pluck('code');
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
});
