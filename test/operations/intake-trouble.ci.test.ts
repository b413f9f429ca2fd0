import { expect } from 'chai';
import { makeLog } from '../../platform/log.ts';
import { replayLeftOver } from '../../workers/intake/replay-records.ts';
import { deal, findArrivals, sendDeal } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { type ApiResponse, openOwnService } from '../support/service.ts';

describe('intake in trouble of ours', () => {
  const service = openOwnService({ requestTimeoutMs: 700 });
  const { demo, db } = service;

  const holdLeads = async () => {
    const holding = await db.transaction();
    await holding.raw('lock table leads in share mode');
    return holding;
  };
  const statesOf = async (external_id: number) =>
    (await findArrivals(service, external_id)).map(({ state }) => state);

  const replay = (...options: [Parameters<typeof replayLeftOver>[2]?]) =>
    replayLeftOver({ owner: db, hosts: db }, makeLog('test', 'silent'), ...options);
  const replayAll = () => replay({ olderThanMs: 0 });
  /** On a busy machine also after the trouble is over. */
  const sendUntilTaken = (id: number) => eventually(() => sendDeal(service, id), { status: 200 });

  it('asks for the record again with 503 in time, never with 408, and has lost nothing', async () => {
    const holding = await holdLeads();
    const late: ApiResponse[] = [];
    // On a busy machine the first may be refused before it is stored.
    const states = await eventually(
      async () => {
        late.push(await sendDeal(service, 1));
        return statesOf(1);
      },
      stored => stored.length > 0,
    );
    for (const { status, headers } of late)
      expect([status, headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect(new Set(states)).to.deep.equal(new Set(['received']));
    await holding.rollback();
    await sendUntilTaken(1);
    await eventually(
      () => replayAll().then(() => statesOf(1)),
      replayed => replayed.every(state => state === 'done'),
    );
    expect(await db('leads').where({ external_id: '1' })).to.have.length(1);
  });

  it('has not failed a record that still waited for others of its host at its deadline', async () => {
    const ids = [10, 11, 12, 13, 14, 15];
    const holding = await holdLeads();
    const late = await Promise.all(ids.map(id => sendDeal(service, id)));
    expect(late.map(({ status }) => status)).to.deep.equal(ids.map(() => 503));
    await holding.rollback();
    // It is mapped after those that waited.
    await sendUntilTaken(16);
    await replayAll();
    expect((await Promise.all(ids.map(statesOf))).flat()).to.not.include('failed');
  });

  it('answers 503 while the database is not there for it', async () => {
    const holding = await db.transaction();
    await holding.raw('lock table intake_records in access exclusive mode');
    const { status } = await sendDeal(service, 2);
    await holding.rollback();
    expect(status).to.equal(503);
    await sendUntilTaken(2);
  });

  it('turns a bug into 503, marks the record as failed, and takes it when the bug is gone', async () => {
    await db.raw(`alter table leads add constraint bug check (dealname <> 'Inscrição 3')`);
    const refused = new Set<number>();
    const sendAgain = async () => {
      refused.add((await sendDeal(service, 3)).status);
      return statesOf(3);
    };
    await eventually(sendAgain, states => states.includes('failed'));
    expect([...refused]).to.deep.equal([503]);
    expect(service.logged.some(line => line.includes('a handler threw an unexpected error'))).to.equal(true);
    await db.raw('alter table leads drop constraint bug');
    expect((await sendUntilTaken(3)).body.entityData.status).to.equal('created');
  });

  it('finds the records that a dead worker and a lost job left, once', async () => {
    const left = { host_id: demo.hostId, kind: 'deals', arrived_at: new Date(), body: deal(4) };
    await db('intake_records').insert([
      { ...left, job_id: 'kleft', created_at: new Date(Date.now() - 120_000) },
      { ...left, job_id: 'kfresh', body: deal(5) },
      { ...left, job_id: 'kwrong', body: { external_id: 6 }, created_at: new Date(Date.now() - 120_000) },
    ]);
    await Promise.all([replay(), replay()]);
    expect(await Promise.all([4, 5, 6].map(statesOf))).to.deep.equal([['done'], ['received'], ['refused']]);
    expect(await db('leads').where({ external_id: '4' })).to.have.length(1);
  });

  it('leaves what a dead worker left to others when its own worker is told to stop', async () => {
    const created_at = new Date(Date.now() - 120_000);
    const left = { host_id: demo.hostId, kind: 'deals', job_id: 'kstopped', created_at };
    await db('intake_records').insert({ ...left, arrived_at: new Date(), body: deal(9) });
    expect(await replay({ signal: AbortSignal.abort() })).to.equal(0);
    await replay();
    expect(await statesOf(9)).to.deep.equal(['done']);
  });

  it('replays the others where the statement of one is cancelled each time', async () => {
    const created_at = new Date(Date.now() - 120_000);
    const left = { host_id: demo.hostId, kind: 'deals', created_at };
    await db('intake_records').insert([
      { ...left, job_id: 'kslow', arrived_at: new Date(0), body: deal(7) },
      { ...left, job_id: 'knext', arrived_at: new Date(1), body: deal(8) },
    ]);
    await db.raw(`
      create function cancel() returns trigger language plpgsql as
        $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$;
      create trigger cancel before insert on leads for each row when (new.external_id = '7') execute function cancel()`);
    await replay();
    expect([await statesOf(7), await statesOf(8)]).to.deep.equal([['received'], ['done']]);
    await db.raw('drop function cancel cascade');
  });
});
