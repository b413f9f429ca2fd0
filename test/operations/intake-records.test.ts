import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { setMapping } from '../../db/intake/crm-mappings.ts';
import { fieldError } from '../../platform/field-error.ts';
import { expectRefused } from '../support/contract.ts';
import { deal, sendDeal, ticket } from '../support/crm.ts';
import type { Fields } from '../support/operation-calls.ts';
import { type CallOptions, openService } from '../support/service.ts';
import { readStoredRows } from '../support/stored-rows.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

interface Received extends Fields {
  readonly body: Fields;
  readonly reasons: readonly Fields[];
}

describe('the records that a CRM sent', () => {
  const service = openService();
  const { demo } = service;
  beforeEach(() =>
    service.db.raw('truncate intake_records, tickets, leads, contacts, crm_mappings, replies cascade'),
  );

  const list = async (body: Fields = {}): Promise<Received[]> =>
    (await demo.call('listIntakeRecords', body)).body.data.items;
  const replay = (recordIds: unknown[], options: CallOptions = {}) =>
    demo.call('replayRecords', { recordIds }, options);
  const sendObject = (body: Fields) => demo.call('receiveObject', body);
  const agree = (fields: Fields, more: Fields = {}) =>
    demo.inHost(scope => setMapping(scope, 'objects', { ...agreed, fields, ...more }));
  const agreed = { target: 'leads', required: [], solvedStages: [], campus: false } as const;
  const codes = { cod: { to: 'external_id' }, mail: { to: 'email' }, nome: { to: 'dealname' } };

  it('are listed as they came, the last first, with what became of each', async () => {
    const named = { external_id: 4, email: 'ana@example.com', dealname: 'Ana' };
    const sent = { z: [1, { b: null }], ...named, a: 'ç\u0001' };
    const stored = (await demo.call('receiveDeal', sent)).body;
    await demo.call('receiveDeal', { external_id: 5 });
    const [refused, done] = await list();
    expect(JSON.stringify(done?.['body'])).to.equal(JSON.stringify(sent));
    expect(done).to.deep.include({
      kind: 'deals',
      fate: 'done',
      status: 'created',
      entityTable: 'leads',
      entityId: stored.entityData.id,
      reasons: [],
      warnings: [],
    });
    expect(refused).to.deep.include({ fate: 'refused', status: null, entityTable: null, entityId: null });
    expect(refused?.reasons.map(({ path }) => path)).to.include.members(['dealname']);
    for (const time of [done?.['arrivedAt'], done?.['finishedAt']])
      expect(new Date(time as string).toISOString()).to.equal(time);
  });

  it('are filtered by kind and fate, alone and together', async () => {
    await sendDeal(service, 1);
    await demo.call('receiveDeal', { external_id: 2 });
    await demo.call('receiveTicket', ticket(3));
    await sendObject({ cod: 4 });
    const bodies = async (body: Fields) =>
      (await list(body)).map(({ body: { external_id, cod } }) => external_id ?? cod);
    expect(await bodies({})).to.deep.equal([4, 3, 2, 1]);
    expect(await bodies({ kind: 'deals' })).to.deep.equal([2, 1]);
    expect(await bodies({ fate: 'refused' })).to.deep.equal([4, 2]);
    expect(await bodies({ fate: 'refused', kind: 'deals' })).to.deep.equal([2]);
    expect(await bodies({ fate: 'failed' })).to.deep.equal([]);
    for (const wrong of [{ kind: 'leads' }, { fate: 'lost' }, { kind: ['deals'] }])
      expect((await demo.call('listIntakeRecords', wrong)).status).to.equal(400);
  });

  it('are stored by a replay after a change of the mapping, once however often they are replayed', async () => {
    for (const cod of [1, 2, 3])
      expect((await sendObject({ cod, mail: `p${cod}@example.com` })).status).to.equal(400);
    const ids = (await list()).map(({ recordId }) => recordId);
    const early = (await replay(ids)).body.data.items;
    expect(early.map(({ result }: Fields) => result)).to.deep.equal(['refused', 'refused', 'refused']);
    expect(early[0].reasons).to.deep.equal([fieldError('', 'no-mapping')]);
    await agree(codes);
    const answers = await Promise.all([replay(ids), replay(ids), replay(ids)]);
    for (const { status, body } of answers) {
      expect([status, body.data.items.length]).to.deep.equal([200, 3]);
      for (const { result } of body.data.items) expect(result).to.be.oneOf(['done', 'skipped']);
    }
    const { items } = (await replay(ids)).body.data;
    expect(items.map((item: Fields) => [item['result'], item['status'], item['entityTable']])).to.deep.equal(
      ids.map(() => ['done', 'unchanged', 'leads']),
    );
    // In the order of their arrival, whatever the order of the ids.
    expect(items.map(({ recordId }: Fields) => recordId)).to.deep.equal(ids.toReversed());
    const leads = await service.db('leads').orderBy('external_id');
    expect(leads.map(({ external_id }) => external_id)).to.deep.equal(['1', '2', '3']);
    expect(leads.map(({ id }) => id)).to.deep.equal(items.map(({ entityId }: Fields) => entityId));
  });

  it('are processed in the order of their arrival, whatever the order of their ids', async () => {
    for (const nome of ['Um', 'Dois', 'Três']) await sendObject({ cod: 1, mail: 'p@example.com', nome });
    await agree(codes);
    const [third, second, first] = (await list()).map(({ recordId }) => recordId);
    const { items } = (await replay([second, third, first])).body.data;
    expect(items.map(({ status }: Fields) => status)).to.deep.equal(['created', 'updated', 'updated']);
    expect(items.map(({ recordId }: Fields) => recordId)).to.deep.equal([first, second, third]);
    expect(await service.db('leads').pluck('dealname')).to.deep.equal(['Três']);
  });

  it('that failed by a fault of ours are stored when it is gone, and a fault of one stops no other', async () => {
    await service.db.raw(`alter table leads add constraint bug check (dealname <> 'Inscrição 2')`);
    for (const id of [1, 2, 3]) await sendDeal(service, id);
    await service.db('leads').delete();
    const ids = (await list()).map(({ recordId }) => recordId);
    const results = async () =>
      (await replay(ids)).body.data.items.map(({ result, reasons }: Fields) => [result, reasons]);
    const failed = [fieldError('', 'service-error')];
    expect(await results()).to.deep.equal([
      ['done', []],
      ['failed', failed],
      ['done', []],
    ]);
    expect((await list({ fate: 'failed' })).map(({ body }) => body['external_id'])).to.deep.equal([2]);
    await service.db.raw('alter table leads drop constraint bug');
    expect(await results()).to.deep.equal(ids.map(() => ['done', []]));
    expect(await service.db('leads')).to.have.length(3);
  });

  it('stay done, with what they stored, where a replay of them fails', async () => {
    const stored = await sendDeal(service, 4);
    const [sent] = await list();
    await service.db('leads').delete();
    await service.db.raw(`alter table leads add constraint bug check (dealname <> 'Inscrição 4')`);
    const [answer] = (await replay([sent?.['recordId']])).body.data.items;
    await service.db.raw('alter table leads drop constraint bug');
    expect(answer).to.include({ result: 'failed', entityId: stored.body.entityData.id });
    expect(await list()).to.deep.equal([sent]);
  });

  it('are skipped while they are being processed, and left to that', async () => {
    await sendDeal(service, 1);
    await sendDeal(service, 2);
    const now = Date.now();
    const record = { host_id: demo.hostId, kind: 'deals', arrived_at: new Date(now) };
    await service.db('intake_records').insert({ ...record, job_id: 'kfresh', body: deal(3) });
    const times = { created_at: new Date(now - 120_000), arrived_at: new Date(now + 1_000) };
    await service.db('intake_records').insert({ ...record, job_id: 'kstuck', body: deal(4), ...times });
    const ids = (await list()).map(({ recordId }) => recordId);
    const locking = await service.db.transaction();
    try {
      await locking('intake_records').whereRaw(`body ->> 'external_id' = '1'`).forUpdate();
      const { items } = (await replay(ids)).body.data;
      expect(items.map((item: Fields) => [item['result'], item['status']])).to.deep.equal([
        ['skipped', 'created'],
        ['done', 'unchanged'],
        ['skipped', null],
        ['done', 'created'],
      ]);
    } finally {
      await locking.rollback();
    }
    expect((await list({ fate: 'received' })).map(({ body }) => body['external_id'])).to.deep.equal([3]);
  });

  it('are replayed one by one: what was done when the caller went away is done, and a repeat does the rest', async () => {
    for (const id of [1, 2, 3]) await sendDeal(service, id);
    await service.db('leads').delete();
    const ids = (await list()).map(({ recordId }) => recordId);
    const locking = await service.db.transaction();
    await locking.raw(
      `insert into leads (host_id, kind, external_id, arrived_at) values (?, 'deals', '2', now())`,
      [demo.hostId],
    );
    const leaving = new AbortController();
    const gone = replay(ids, { signal: leaving.signal }).catch(() => undefined);
    await waitForLock(locking);
    leaving.abort();
    await gone;
    await locking.rollback();
    const resultsOfReplay = async () =>
      (await replay(ids)).body.data.items.map(({ result }: Fields) => result);
    expect(await resultsOfReplay()).to.not.include('failed');
    expect(await resultsOfReplay()).to.deep.equal(['done', 'done', 'done']);
    const leads = await service.db('leads').orderBy('external_id').pluck('external_id');
    expect(leads).to.deep.equal(['1', '2', '3']);
  });

  it('are all of the host, or nothing is replayed', async () => {
    await sendDeal(service, 1);
    const { acme } = service;
    await acme.call('receiveDeal', deal(2));
    const [ours] = await list();
    const [theirs] = (await acme.call('listIntakeRecords')).body.data.items;
    expect(await list()).to.have.length(1);
    const before = await readStoredRows(service.db);
    for (const unknown of [theirs?.['recordId'], randomUUID()])
      expectRefused(await replay([ours?.['recordId'], unknown]), 'record-not-found');
    for (const wrong of [[], ['x'], Array(101).fill(randomUUID())])
      expect((await replay(wrong)).body.data.fields[0].path).to.match(/^recordIds/);
    expect(await readStoredRows(service.db)).to.deep.equal(before);
    const id = String(ours?.['recordId']);
    expect((await replay([id, id.toUpperCase(), id])).body.data.items).to.have.length(1);
    const manage = await service.makeToken({ hostIds: [demo.hostId], scopes: ['manage'] });
    expectRefused(await replay([id], { token: manage }), 'forbidden', { hint: 'it needs the scope intake' });
  });

  it('end a page where it has a mebibyte', async () => {
    for (const id of [1, 2, 3]) await demo.call('receiveDeal', { ...deal(id), extra: 'x'.repeat(700_000) });
    const first = (await demo.call('listIntakeRecords', {})).body.data;
    expect(first.items).to.have.length(2);
    const rest = (await demo.call('listIntakeRecords', { cursor: first.nextCursor })).body.data;
    expect([rest.items.length, rest.nextCursor]).to.deep.equal([1, null]);
  });
});
