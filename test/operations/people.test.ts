import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { type CallOptions, openService } from '../support/service.ts';

describe('the people of a host', () => {
  const service = openService();
  const { demo } = service;
  afterEach(() => service.db('people').delete());

  const save = (body: object, options: CallOptions = {}) => demo.call('savePerson', body, options);
  const bia = { name: 'Bia', email: 'bia@horizonte.example', role: 'admin' };
  const rui = { name: 'rui', email: 'rui@horizonte.example', role: 'agent' };
  const add = async (person: object): Promise<string> => (await save(person)).body.data.personId;

  it('are added, changed field by field and listed by name', async () => {
    const { status, body } = await save(bia);
    expect(status).to.equal(200);
    const { personId, createdAt, ...data } = body.data;
    const unseen = { disabled: false, invitedUntil: null, lastSeenAt: null };
    expect(data).to.deep.equal({ hostId: demo.hostId, ...bia, ...unseen });
    await add(rui);
    const changed = await save({ personId, name: 'Ana Bia' });
    expect(changed.body.data).to.deep.equal({ ...body.data, name: 'Ana Bia', createdAt });
    const { data: listed } = (await demo.call('listPeople')).body;
    expect(listed.map(({ name }: Fields) => name)).to.deep.equal(['Ana Bia', 'rui']);
  });

  it('who may sign in are known by name and e-mail to those who attend', async () => {
    const personId = await add(bia);
    await add({ ...rui, disabled: true });
    const token = await service.makeToken({ hostIds: [demo.hostId], scopes: ['reason'] });
    const { status, body } = await demo.call('listColleagues', {}, { token });
    const known = { personId, name: 'Bia', email: bia.email, present: false };
    expect([status, body.data]).to.deep.equal([200, [known]]);
    const presentOnce = async (minutesAgo: number) => {
      const last_seen_at = service.db.raw(`now() - ? * interval '1 minute'`, [minutesAgo]);
      await service.db('people').where({ id: personId }).update({ last_seen_at });
      return (await demo.call('listColleagues', {}, { token })).body.data[0].present;
    };
    expect([await presentOnce(2), await presentOnce(4)]).to.deep.equal([true, false]);
    expect((await demo.call('listPeople', {}, { token })).status).to.equal(403);
  });

  it('need a name, an e-mail address and a role, and what is wrong is named and changes nothing', async () => {
    const wrong: [object, string][] = [
      [{ ...bia, name: '' }, 'name'],
      [{ ...bia, name: undefined }, 'name'],
      [{ ...bia, email: 'bia' }, 'email'],
      [{ ...bia, email: 'bia @x.example' }, 'email'],
      [{ ...bia, email: `${'b'.repeat(200)}@x.example` }, 'email'],
      [{ ...bia, role: 'owner' }, 'role'],
      [{ ...bia, disabled: 'yes' }, 'disabled'],
      [{ ...bia, id: randomUUID(), personId: randomUUID() }, 'personId'],
    ];
    for (const [body, field] of wrong) expectWrong(await save(body), field);
    expect(await service.db('people')).to.deep.equal([]);
  });

  it('have an e-mail address each, in whatever case, in their host', async () => {
    await add(bia);
    const taken = await save({ ...rui, email: 'BIA@horizonte.example' });
    expect([taken.status, taken.body.data.fields[0].path]).to.deep.equal([409, 'email']);
    const ruiId = await add(rui);
    expect((await save({ id: ruiId, email: bia.email })).status).to.equal(409);
    expect((await save({ id: ruiId, email: 'RUI@horizonte.example' })).status).to.equal(200);
    expect((await service.acme.call('savePerson', bia)).status).to.equal(200);
  });

  it('keep an admin, whoever asks, also if two are lowered at the same moment', async () => {
    const first = await add(bia);
    const lower = (id: string, change: object) => save({ id, ...change });
    for (const change of [{ role: 'agent' }, { disabled: true }]) {
      const refused = await lower(first, change);
      const message = 'The last admin of a host cannot be disabled or get another role';
      expect([refused.status, refused.body.message]).to.deep.equal([409, message]);
    }
    const second = await add({ ...rui, role: 'admin' });
    const both = await Promise.all([lower(first, { role: 'manager' }), lower(second, { disabled: true })]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 409]);
  });

  it('are invited by a link to the address of the request, which is stored nowhere and shown once', async () => {
    const personId = await add(bia);
    const headers = { 'idempotency-key': randomUUID() };
    const { body, status } = await demo.call('invitePerson', { personId }, { headers });
    expect(status).to.equal(200);
    const [address, link] = body.data.link.split('#entrar=');
    expect(address).to.equal(`${service.baseURL}/console`);
    expect((Date.parse(body.data.expiresAt) - Date.now()) / 3_600_000).to.be.within(71.9, 72.1);
    const [listed] = (await demo.call('listPeople')).body.data;
    expect(listed.invitedUntil).to.equal(body.data.expiresAt);
    for (const table of ['people', 'audit_entries', 'replies']) {
      const { rows } = await service.db.raw(`select ${table}::text as row from ${table}`);
      expect(JSON.stringify([rows, service.logged]), table).not.to.include(link);
    }
    await save({ id: personId, role: 'admin' });
    await add({ ...rui, role: 'admin' });
    await save({ id: personId, disabled: true });
    expect((await demo.call('invitePerson', { personId })).status).to.equal(409);
  });
});
