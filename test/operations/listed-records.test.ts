import { expect } from 'chai';
import { setMapping } from '../../db/intake/crm-mappings.ts';
import { fieldError } from '../../platform/field-error.ts';
import { type MappingFile, parseMapping } from '../../workers/domain/crm/mapping-file.ts';
import { mappingPresets } from '../../workers/domain/crm/mapping-presets.ts';
import { expectWrong } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { type ApiResponse, openService } from '../support/service.ts';
import { makeSource, sendRaw, sendSigned, standardHeaders } from '../support/signed.ts';

type Line = Pick<ApiResponse['body'], 'code' | 'message' | 'data'>;

const file: MappingFile = {
  target: 'lead',
  records: 'leads',
  fields: { uuid: 'external_id', email: 'email', 'more.name': 'firstname' },
  required: ['uuid'],
};

describe('records within a body', () => {
  const service = openService();
  const { demo, db } = service;
  before(() => agreeOn(file));

  const agreeOn = (mapping: MappingFile) =>
    demo.inHost(scope => setMapping(scope, 'objects', parseMapping('objects', mapping).mapping));
  const send = (body: object) => demo.call('receiveObject', body);
  const leads = () => db('leads').where({ host_id: demo.hostId });
  const leadOf = (external_id: string) => leads().where({ external_id }).first();
  const leadsLike = (start: string) => leads().where('external_id', 'like', `${start}%`);
  const transactionsOf = async (start: string) =>
    (await leadsLike(start).select(db.raw('count(distinct xmin::text)::integer')))[0].count;
  const codesOf = ({ body }: ApiResponse) => (body as Line[]).map(({ code }) => code);
  const lead = (uuid: string, more: object = {}) => ({ uuid, email: `${uuid}@example.com`, ...more });

  it('have each its own fate, and keep what is around them', async () => {
    const ana = lead('a1', { more: { name: 'Ana', x: 1 } });
    const sent = { event: 'converted', leads: [ana, { email: 'b@example.com' }, 'none', lead('a4')] };
    const answer = await send(sent);
    expect([answer.status, codesOf(answer)]).to.deep.equal([200, [200, 400, 400, 200]]);
    const lines: Line[] = answer.body;
    expect(lines[0]).to.include({ message: 'Success' });
    expect(lines[0]?.data.entityData.status).to.equal('created');
    expect(lines[0]?.data.interData).to.deep.equal([
      { field: 'more.x', value: 1 },
      { field: 'event', value: 'converted' },
    ]);
    expect(lines[1]?.data.fields).to.deep.equal([fieldError('uuid', 'required')]);
    expect(lines[2]?.data.fields).to.deep.equal([
      fieldError('leads[2]', 'type', { values: ['object'], message: 'must be an object' }),
    ]);
    expect(await leadOf('a1')).to.include({ firstname: 'Ana' });
    const again = ((await send(sent)).body as Line[]).map(({ data }) => data.entityData?.status);
    expect(again).to.deep.equal(['unchanged', undefined, undefined, 'unchanged']);
    const kept = await db('intake_records').whereRaw(`body -> 'leads' -> 0 ->> 'uuid' = 'a1'`);
    expect(kept[0].body).to.deep.equal({ event: 'converted', leads: [ana] });
  });

  it('are at most 1,000, of which the last one with an id wins', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => ({ uuid: `m${at}`, email: 'm@example.com' }));
    const last = { uuid: 'm1', email: 'last@example.com' };
    const { status, body } = await send({ leads: [...many.slice(1), last] });
    expect([status, body.length]).to.deep.equal([200, 1_000]);
    expect(await leadsLike('m')).to.have.length(999);
    expect(await leadOf('m1')).to.include({ email: last.email });
    expect(await transactionsOf('m')).to.be.at.most(10);
    for (const wrong of [[], [...many, lead('m')]])
      expectWrong(await send({ leads: wrong }), 'leads', /^must contain 1 to 1000 records$/);
    const around = { leads: many, event: 'x'.repeat(2_000) };
    expectWrong(await send(around), 'leads', /^has too many records for what is around them$/);
  });

  it('that one cannot be stored take none of the others with it', async () => {
    await db.raw(`alter table leads add constraint bug check (external_id <> 'bug')`);
    const others = Array.from({ length: 63 }, (_, at) => lead(`c${at}`));
    const answer = await send({ leads: [...others.slice(0, 20), lead('bug'), ...others.slice(20)] });
    await db.raw('alter table leads drop constraint bug');
    const codes = Array.from({ length: 64 }, (_, at) => (at === 20 ? 500 : 200));
    expect([answer.status, codesOf(answer)]).to.deep.equal([200, codes]);
    expect(await leadsLike('c')).to.have.length(63);
    expect(await transactionsOf('c')).to.be.at.most(6);
  });

  it('come signed, once for each signature, and early where their source wants it', async () => {
    const source = await makeSource(service, { kind: 'objects' });
    const body = JSON.stringify({ leads: [lead('s1'), lead('s2')] });
    const headers = standardHeaders(body);
    const first = await sendRaw(service, source.path, body, headers);
    expect([first.status, codesOf(first)]).to.deep.equal([200, [200, 200]]);
    expect((await sendRaw(service, source.path, body, headers)).status).to.equal(401);
    const early = await makeSource(service, { kind: 'objects', ack: 'early' });
    const answer = await sendSigned(service, early, { leads: [lead('e1'), lead('e2')] });
    const states = (answer.body as Line[]).map(({ data }) => data.state);
    expect([answer.status, states]).to.deep.equal([202, ['received', 'received']]);
    await eventually(() => leadsLike('e'), { length: 2 });
  });

  it('are one record where there is no list, also where it is older than what is stored', async () => {
    await agreeOn({ ...file, records: ['contact', 'leads'] });
    const { body } = await send({ contact: lead('o1', { more: { name: 'Ana' } }) });
    expect(body.entityData.status).to.equal('created');
    const past = { host_id: demo.hostId, kind: 'objects', arrived_at: new Date(0), state: 'refused' };
    const older = {
      event: 'x',
      contact: { uuid: 'o1', email: 'old@example.com', more: { name: 'B', y: 2 } },
    };
    const [stored] = await db('intake_records')
      .insert({ ...past, job_id: 'kolder', body: older })
      .returning('id');
    await demo.call('replayRecords', { recordIds: [stored.id] });
    const lead1 = await leadOf('o1');
    expect(lead1).to.include({ email: 'o1@example.com', firstname: 'Ana' });
    expect(lead1.inter_data).to.deep.equal([
      { field: 'more.y', value: 2 },
      { field: 'event', value: 'x' },
    ]);
  });
});

describe('events that tell one changed property each', () => {
  const service = openService();
  const { demo, db } = service;
  before(() => {
    const { mapping } = parseMapping('objects', mappingPresets.hubspot);
    return demo.inHost(scope => setMapping(scope, 'objects', mapping));
  });

  const MINUTE = 60_000;
  const start = Date.now() - 60 * MINUTE;
  const event = (objectId: number, propertyName: string, propertyValue: string, minute: number) => ({
    eventId: minute,
    objectId,
    propertyName,
    propertyValue,
    occurredAt: start + minute * MINUTE,
  });
  const send = (body: object) => demo.call('receiveObject', body);
  const leadOf = (id: number) =>
    db('leads')
      .where({ host_id: demo.hostId, external_id: String(id) })
      .first();

  it('are fields of one record, of which the one that occurred later wins, in whatever order they come', async () => {
    const events = [
      event(1, 'firstname', 'Ana', 1),
      event(1, 'lastname', 'Souza', 1),
      event(1, 'firstname', 'Anna', 3),
      event(1, 'curso', 'Direito', 2),
      event(1, 'curso', 'Letras', 4),
      event(1, 'email', 'ana@example.com', 0),
    ];
    const orders = [events, events.toReversed(), [...events.slice(3), ...events.slice(0, 3)]];
    for (const [at, order] of orders.entries()) {
      for (const each of order) expect((await send({ ...each, objectId: at })).status).to.equal(200);
      const lead = await leadOf(at);
      expect(lead, String(at)).to.include({ firstname: 'Anna', lastname: 'Souza', email: 'ana@example.com' });
      expect(lead.inter_data, String(at)).to.deep.include({ field: 'curso', value: 'Letras' });
      expect(lead.inter_data, String(at)).to.deep.include({ field: 'eventId', value: 4 });
    }
  });

  it('are so in a signed list, too, and a clock that is ahead beats nothing that comes later', async () => {
    const source = await makeSource(service, { kind: 'objects' });
    const ahead = { ...event(9, 'lastname', 'Ahead', 0), occurredAt: Date.now() + 600 * MINUTE };
    const list = [event(9, 'firstname', 'Bia', 5), event(9, 'firstname', 'Old', 4), ahead];
    expect((await sendSigned(service, source, list)).status).to.equal(200);
    await send({ ...ahead, propertyValue: 'Later', occurredAt: Date.now() + 500 * MINUTE });
    expect(await leadOf(9)).to.include({ firstname: 'Bia', lastname: 'Later' });
  });
});
