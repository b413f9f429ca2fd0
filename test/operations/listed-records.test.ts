import { expect } from 'chai';
import { mappingPresets } from '../../commands/mapping-presets.ts';
import { setMapping } from '../../db/intake/crm-mappings.ts';
import type { RecordKind } from '../../workers/domain/crm/mapping.ts';
import { type MappingFile, parseMapping } from '../../workers/domain/crm/mapping-file.ts';
import { CRM } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { openService } from '../support/service.ts';
import { makeSource, sendRaw, sendSigned, standardHeaders } from '../support/signed.ts';

interface Line {
  readonly code: number;
  readonly message: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

const file: MappingFile = {
  target: 'lead',
  records: 'leads',
  fields: { uuid: 'external_id', email: 'email', 'more.name': 'firstname' },
  required: ['uuid'],
};

describe('records within a body', () => {
  const service = openService();
  before(async () => {
    await agreeOn(file);
  });

  const agreeOn = (mapping: MappingFile, kind: RecordKind = 'objects') =>
    service.demo.inHost(scope => setMapping(scope, kind, parseMapping(kind, mapping).mapping));
  const send = (body: object, kind = 'objects') => service.call(`${CRM}/${kind}`, body);
  const leadOf = (external_id: string) =>
    service.db('leads').where({ host_id: service.demo.hostId, external_id }).first();
  const leadsLike = (start: string) =>
    service.db('leads').where({ host_id: service.demo.hostId }).where('external_id', 'like', `${start}%`);
  const lead = (uuid: string, more: object = {}) => ({ uuid, email: `${uuid}@example.com`, ...more });

  it('have each its own fate, and keep what is around them', async () => {
    const leads = [
      lead('a1', { more: { name: 'Ana', x: 1 } }),
      { email: 'b@example.com' },
      'none',
      lead('a4'),
    ];
    const { status, body } = await send({ event: 'converted', leads });
    const lines = body as Line[];
    expect([status, lines.map(({ code }) => code)]).to.deep.equal([200, [200, 400, 400, 200]]);
    expect(lines[0]?.message).to.equal('Success');
    expect(lines[0]?.data.entityData.status).to.equal('created');
    expect(lines[0]?.data.interData).to.deep.equal([
      { field: 'more.x', value: 1 },
      { field: 'event', value: 'converted' },
    ]);
    expect(lines[1]?.data.fields).to.deep.equal([{ path: 'uuid', message: 'is required' }]);
    expect(lines[2]?.data.fields).to.deep.equal([{ path: 'leads[2]', message: 'must be an object' }]);
    expect(await leadOf('a1')).to.include({ firstname: 'Ana' });
    const again = (await send({ event: 'converted', leads })).body as Line[];
    expect(again.map(({ data }) => data.entityData?.status)).to.deep.equal([
      'unchanged',
      undefined,
      undefined,
      'unchanged',
    ]);
    const kept = await service.db('intake_records').whereRaw(`body -> 'leads' -> 0 ->> 'uuid' = 'a1'`);
    expect(kept[0].body).to.deep.equal({ event: 'converted', leads: [leads[0]] });
  });

  it('are at most 1,000, of which the last one with an id wins', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => ({ uuid: `m${at}`, email: 'm@example.com' }));
    const { status, body } = await send({
      leads: [...many.slice(1), { uuid: 'm1', email: 'last@example.com' }],
    });
    expect([status, body.length]).to.deep.equal([200, 1_000]);
    expect(await leadsLike('m')).to.have.length(999);
    expect(await leadOf('m1')).to.include({ email: 'last@example.com' });
    for (const leads of [[], [...many, lead('m')]])
      expect((await send({ leads })).body.data.fields).to.deep.equal([
        { path: 'leads', message: 'must contain 1 to 1000 records' },
      ]);
    const around = { leads: many, event: 'x'.repeat(2_000) };
    expect((await send(around)).body.data.fields[0].message).to.equal(
      'has too many records for what is around them',
    );
  }).timeout(60_000);

  it('that one cannot be stored take none of the others with it', async () => {
    await service.db.raw(`alter table leads add constraint bug check (external_id <> 'bug')`);
    const { status, body } = await send({ leads: [lead('c1'), lead('bug'), lead('c2')] });
    await service.db.raw('alter table leads drop constraint bug');
    expect([status, (body as Line[]).map(({ code }) => code)]).to.deep.equal([200, [200, 500, 200]]);
    expect(await leadsLike('c')).to.have.length(2);
  });

  it('come signed, once for each signature, and early where their source wants it', async () => {
    const source = await makeSource(service, { kind: 'objects' });
    const body = JSON.stringify({ leads: [lead('s1'), lead('s2')] });
    const headers = standardHeaders(body);
    const first = await sendRaw(service, source.path, body, headers);
    expect([first.status, (first.body as Line[]).map(({ code }) => code)]).to.deep.equal([200, [200, 200]]);
    expect((await sendRaw(service, source.path, body, headers)).status).to.equal(401);
    const early = await makeSource(service, { kind: 'objects', ack: 'early' });
    const answer = await sendSigned(service, early, { leads: [lead('e1'), lead('e2')] });
    expect([answer.status, (answer.body as Line[]).map(({ data }) => data.state)]).to.deep.equal([
      202,
      ['received', 'received'],
    ]);
    await eventually(
      () => leadsLike('e'),
      leads => leads.length === 2,
    );
  });

  it('are one record where there is no list, also where it is older than what is stored', async () => {
    await agreeOn({ ...file, records: ['contact', 'leads'] });
    const { body } = await send({ contact: lead('o1', { more: { name: 'Ana' } }) });
    expect(body.entityData.status).to.equal('created');
    const [{ id, job_id: jobId }] = await service
      .db('intake_records')
      .whereRaw(`body -> 'contact' ->> 'uuid' = 'o1'`);
    const past = { host_id: service.demo.hostId, kind: 'objects', arrived_at: new Date(0), state: 'refused' };
    const older = {
      event: 'x',
      contact: { uuid: 'o1', email: 'old@example.com', more: { name: 'B', y: 2 } },
    };
    const [stored] = await service
      .db('intake_records')
      .insert({ ...past, job_id: `${jobId}x`, body: older })
      .returning('id');
    expect(stored.id).to.not.equal(id);
    const recordIds = [stored.id];
    await service.demo.call('replayRecords', { recordIds });
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
  before(async () => {
    const { mapping } = parseMapping('objects', mappingPresets.hubspot);
    await service.demo.inHost(scope => setMapping(scope, 'objects', mapping));
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
  const send = (body: object) => service.demo.call('receiveObject', body);
  const leadOf = (id: number) =>
    service
      .db('leads')
      .where({ host_id: service.demo.hostId, external_id: String(id) })
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
    const { status } = await sendSigned(service, source, list);
    expect(status).to.equal(200);
    await send({ ...ahead, propertyValue: 'Later', occurredAt: Date.now() + 500 * MINUTE });
    expect(await leadOf(9)).to.include({ firstname: 'Bia', lastname: 'Later' });
  });
});
