import { expect } from 'chai';
import { connect } from '../../db/connection.ts';
import { type Arrival, type IntakeRecord, storeArrivals } from '../../db/intake/intake-records.ts';
import { makeLog } from '../../platform/log.ts';
import { applyRecords } from '../../workers/intake/apply-records.ts';
import { makeBackgroundMapper } from '../../workers/intake/background-mapper.ts';
import { mapArrival } from '../../workers/intake/map-arrival.ts';
import { type BuiltHost, buildHost } from '../support/build-host.ts';
import { deal, ticket } from '../support/crm.ts';
import { makeDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { withHeldLock } from '../support/held-commit.ts';
import { openOnce } from '../support/opened.ts';
import { watchStatements } from '../support/statements.ts';

describe('records that are mapped together', () => {
  const database = openOnce(makeDatabase);
  const { db } = database;
  const host = openOnce(() => buildHost(db));
  let arrived = 0;

  const receive = (bodies: readonly object[], kind = 'deals') => {
    const arrivals = bodies.map((body): Arrival => {
      arrived += 1;
      return { kind, jobId: `k${arrived}`, arrivedAt: Date.UTC(2026, 10, 20) + arrived / 1_000, body };
    });
    return host.inHost(scope => storeArrivals(scope, arrivals)) as Promise<IntakeRecord[]>;
  };
  const apply = (records: readonly IntakeRecord[]) =>
    host.inHost(scope => applyRecords(scope, records.map(mapArrival)));
  const lockOf = ({ hostId }: { readonly hostId: string }, email: string) =>
    `pg_advisory_xact_lock(hashtextextended('${hostId} email ${email}', 0))`;
  const applyAll = async (...bodies: object[]) => apply(await receive(bodies));
  const statuses = (outcomes: Awaited<ReturnType<typeof apply>>) =>
    outcomes.map(outcome => {
      if (!outcome) return 'waits';
      const { data } = outcome;
      return data !== undefined && 'entityData' in data ? data.entityData.status : outcome.code;
    });
  const leadOf = (external_id: number) => db('leads').where({ external_id: String(external_id) });
  const stateOf = async ({ id }: IntakeRecord) => (await db('intake_records').where({ id }).first()).state;

  it('are one record where they are the same', async () => {
    const records = await receive([deal(21), deal(22), deal(21), deal(21)]);
    expect(statuses(await apply(records))).to.deep.equal(['created', 'created', 'unchanged', 'unchanged']);
    expect(await leadOf(21)).to.have.length(1);
    expect(await db('contacts').where({ email: 'pessoa21@example.com' })).to.have.length(1);
    expect(new Set(await Promise.all(records.map(stateOf)))).to.deep.equal(new Set(['done']));
  });

  it('change one record in the order in which they arrived, whatever their order here', async () => {
    const staged = (dealstage: number, more = {}) => ({ ...deal(3), dealstage, ...more });
    const records = await receive([staged(1, { cidade: 'Manaus' }), staged(2), staged(3)]);
    const [a, b, c] = records as [IntakeRecord, IntakeRecord, IntakeRecord];
    expect(statuses(await apply([c, a, b]))).to.deep.equal(['updated', 'created', 'updated']);
    const [lead] = await leadOf(3);
    expect(lead).to.include({ stage: '3', cidade: 'Manaus' });
    expect(lead.arrived_at.toISOString()).to.equal(c.arrivedAt.toISOString());
  });

  it('keep what a later one named where an older one comes after it', async () => {
    const [older] = (await receive([{ ...deal(4), firstname: 'Velha', cidade: 'Belém' }])) as [IntakeRecord];
    await applyAll({ ...deal(4), firstname: 'Nova' });
    const [other] = (await receive([deal(5)])) as [IntakeRecord];
    expect(statuses(await apply([older, other]))).to.deep.equal(['updated', 'created']);
    expect((await leadOf(4))[0]).to.include({ firstname: 'Nova', cidade: 'Belém' });
  });

  it('are refused each for itself, and nothing of a refused one is written', async () => {
    const records = await receive([deal(6), { external_id: 7 }, { ...deal(8), dealname: '' }, deal(9)]);
    expect(statuses(await apply(records))).to.deep.equal(['created', 400, 400, 'created']);
    expect(await Promise.all(records.map(stateOf))).to.deep.equal(['done', 'received', 'received', 'done']);
    expect(await db('leads').whereIn('external_id', ['7', '8'])).to.have.length(0);
    expect(await db('contacts').where({ email: 'pessoa8@example.com' })).to.have.length(0);
  });

  it('share a contact, also where only the stored contact tells so', async () => {
    const phone = '11 98765-4321';
    await applyAll({ ...deal(10), mobilephone: phone });
    const { email: _email, ...nameless } = deal(11);
    const outcomes = await applyAll(
      { ...deal(12), email: deal(10).email, firstname: 'Eva' },
      { ...nameless, mobilephone: phone, lastname: 'Lima' },
      { ...deal(13), email: deal(10).email.toUpperCase() },
    );
    expect(statuses(outcomes)).to.deep.equal(['created', 'created', 'created']);
    const leads = await db('leads').whereIn('external_id', ['10', '11', '12', '13']);
    expect(new Set(leads.map(lead => lead.contact_id))).to.have.property('size', 1);
    const contact = await db('contacts').where({ id: leads[0].contact_id }).first();
    expect(contact).to.include({ name: 'Pessoa', phone });
  });

  it('keep when each ticket was opened if it comes again without', async () => {
    const { createdate: _at, ...without } = ticket(14);
    await apply(await receive([ticket(14), ticket(15)], 'tickets'));
    const again = { ...ticket(15), subject: 'Outro', createdate: 1_770_000_000_000 };
    await apply(await receive([{ ...without, subject: 'Novo' }, again], 'tickets'));
    const tickets = await db('tickets').whereIn('external_id', ['14', '15']).orderBy('external_id');
    expect(tickets.map(each => [each.subject, each.opened_at.getTime()])).to.deep.equal([
      ['Novo', 1_760_000_000_000],
      ['Outro', 1_770_000_000_000],
    ]);
  });

  it('do not wait for the one whose contact another transaction has locked', async () => {
    const records = await receive([deal(16), deal(17)]);
    const lock = `select ${lockOf(host, 'pessoa16@example.com')}`;
    await withHeldLock(db, lock, async () => {
      expect(statuses(await apply(records))).to.deep.equal(['waits', 'created']);
      expect(await leadOf(16)).to.have.length(0);
    });
    expect(statuses(await apply(records.slice(0, 1)))).to.deep.equal(['created']);
  });

  it('wait only a moment for a row that another transaction has locked, and nothing of them is written', async () => {
    await applyAll(deal(18));
    const records = await receive([deal(19), { ...deal(18), dealstage: 2 }]);
    await withHeldLock(db, `select from leads where external_id = '18' for update`, async () => {
      const code = await apply(records).catch((error: { code?: string }) => error.code);
      expect(code).to.equal('55P03');
      expect(await leadOf(19)).to.have.length(0);
    });
    expect(statuses(await apply(records))).to.deep.equal(['created', 'updated']);
  });

  it('are few transactions also where they were answered before, and none waits for another', async () => {
    const bodies = Array.from({ length: 40 }, (_, at) => deal(100 + at));
    const records = await receive([...bodies, { external_id: 140 }]);
    const lock = `select ${lockOf(host, 'pessoa100@example.com')}`;
    const mapper = makeBackgroundMapper(db, makeLog('test', 'silent'));
    await withHeldLock(db, lock, async () => {
      const sent = await watchStatements(db, async () => {
        for (const { id } of records) mapper.add({ hostId: host.hostId, recordId: id, size: 2 });
        await eventually(
          () => Promise.all(records.slice(1).map(stateOf)),
          states => !states.includes('received'),
        );
      });
      // All are read and stored together, and the locked one alone.
      expect(sent.filter(text => text.startsWith('begin'))).to.have.length(4);
      expect(await leadOf(100)).to.have.length(0);
    });
    await mapper.close();
    const states = await Promise.all(records.map(stateOf));
    expect(states).to.deep.equal([...bodies.map(() => 'done'), 'refused']);
  });

  it('keep no other host waiting while those of some wait for a lock', async () => {
    const [one, other, calm] = [await buildHost(db), await buildHost(db), await buildHost(db)];
    const receiveOf = ({ slug, inHost }: BuiltHost, count: number) => {
      const arrivals = Array.from({ length: count }, (_, at): Arrival => {
        const body = { ...deal(at + 1), email: 'familia@example.com' };
        return { kind: 'deals', jobId: `k${slug}-${at}`, arrivedAt: Date.now() + at / 1_000, body };
      });
      return inHost(scope => storeArrivals(scope, arrivals)) as Promise<IntakeRecord[]>;
    };
    const [locked, alsoLocked] = [await receiveOf(one, 6), await receiveOf(other, 6)];
    const [free] = (await receiveOf(calm, 1)) as [IntakeRecord];
    const lock = `select ${[one, other].map(each => lockOf(each, 'familia@example.com')).join(', ')}`;
    const impatient = connect(database.url, { statementTimeoutMs: 300 });
    const mapper = makeBackgroundMapper(impatient, makeLog('test', 'silent'));
    const add = ({ hostId: id }: BuiltHost, records: readonly IntakeRecord[]) =>
      records.forEach(record => mapper.add({ hostId: id, recordId: record.id, size: 2 }));
    await withHeldLock(db, lock, async () => {
      add(one, locked);
      add(other, alsoLocked);
      add(calm, [free]);
      await eventually(() => stateOf(free), 'done');
    });
    // Those that had not been tried yet.
    for (const records of [locked, alsoLocked])
      await eventually(
        () => Promise.all(records.map(stateOf)),
        states => states.includes('done'),
      );
    await mapper.close();
    await impatient.destroy();
  });
});
