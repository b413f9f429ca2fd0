import { expect } from 'chai';
import { makeArrivalBatcher } from '../../workers/intake/receive-records.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

describe('arrivals at once', () => {
  const { db } = openOnce(makeDatabase);

  const arrivalOf = (n: number, body: unknown = { external_id: n }) => ({
    kind: 'deals',
    jobId: `k${n}`,
    arrivedAt: Date.UTC(2026, 10, 20) + n / 1_000,
    body,
  });
  const jobsOf = (hostId: string): Promise<string[]> =>
    db('intake_records')
      .where({ host_id: hostId })
      .whereRaw(`job_id ~ '^k[0-9]+$'`)
      .orderBy('job_id')
      .pluck('job_id');
  const transactions = async () =>
    (await db('intake_records').select(db.raw('distinct xmin::text as id'))).length;

  it('are committed when they are told to be, each as its own row, in few transactions', async () => {
    const { hostId } = await buildHost(db);
    const store = makeArrivalBatcher(db);
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    const results = await Promise.all(
      numbers.map(async n => {
        const record = await store(hostId, arrivalOf(n));
        return { n, record, row: await db('intake_records').where({ id: record?.id }).first() };
      }),
    );
    for (const { n, record, row } of results)
      expect([row.job_id, row.body, record?.body]).to.deep.equal([
        `k${n}`,
        { external_id: n },
        { external_id: n },
      ]);
    expect(await transactions()).to.be.below(5);
  });

  it('do not take each other down, and one job twice at once is one row', async () => {
    const { hostId } = await buildHost(db);
    const store = makeArrivalBatcher(db);
    const wrongKind = { ...arrivalOf(101), kind: 'nothing' };
    const sent = [arrivalOf(100), wrongKind, arrivalOf(102), arrivalOf(103), arrivalOf(103)];
    const results = await Promise.allSettled([arrivalOf(99), ...sent].map(each => store(hostId, each)));
    expect(results.map(({ status }) => status === 'fulfilled')).to.deep.equal([
      true,
      true,
      false,
      true,
      true,
      true,
    ]);
    expect(await jobsOf(hostId)).to.deep.equal(['k100', 'k102', 'k103', 'k99']);
  });

  it('stay with their own host', async () => {
    const [one, other] = [await buildHost(db), await buildHost(db)];
    const store = makeArrivalBatcher(db);
    await Promise.all([store(one.hostId, arrivalOf(1)), store(other.hostId, arrivalOf(1))]);
    for (const { hostId } of [one, other]) expect(await jobsOf(hostId)).to.deep.equal(['k1']);
  });
});
