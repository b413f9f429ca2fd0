import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';
import { someForms } from '../workers/egress-forms.ts';

const URL = 'https://crm.example/events';

describe('the webhooks', () => {
  const service = openService();
  const { demo } = service;
  afterEach(() => service.db('webhooks').delete());

  const save = (more: Fields, options = {}) => demo.call('saveWebhook', more, options);
  const create = (more: Fields = {}, options = {}) =>
    save({ name: 'CRM', url: URL, events: ['ticket.opened'], ...more }, options);
  const list = async () => (await demo.call('listWebhooks')).body.data;

  it('are made with a secret that is shown once, and listed with a mask', async () => {
    const { status, body } = await create();
    expect(status).to.equal(200);
    const { webhookId, secret, createdAt, ...data } = body.data;
    expect(data).to.deep.equal({
      hostId: demo.hostId,
      name: 'CRM',
      url: URL,
      events: ['ticket.opened'],
      enabled: true,
    });
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(await list()).to.deep.equal([{ ...body.data, secret: '***' }]);
    const edited = await save({ id: webhookId, name: 'ERP' });
    expect(edited.body.data).to.deep.equal({ ...body.data, name: 'ERP', secret: '***', createdAt });
  });

  it('are named by `webhookId` as by `id`, and by both only where they are equal', async () => {
    const { webhookId } = (await create()).body.data;
    const named = [
      { webhookId },
      { id: webhookId, webhookId },
      { id: webhookId.toUpperCase(), webhookId },
      { id: null, webhookId },
    ];
    for (const names of named)
      expect((await save({ ...names, name: 'ERP' })).body.data).to.include({ webhookId, name: 'ERP' });
    expect(await list()).to.have.length(1);
    const wrong = [{ id: webhookId, webhookId: randomUUID() }, { webhookId: 'none' }, { webhookId: [] }];
    for (const names of wrong) {
      const { status, body } = await save({ ...names, name: 'CRM', url: URL, events: [] });
      expect(status, JSON.stringify(names)).to.equal(400);
      expect(body.data.fields.map(({ path }: { path: string }) => path)).to.deep.equal(['webhookId']);
    }
    expect((await save({ webhookId: randomUUID(), name: 'ERP' })).status).to.equal(404);
    expect((await save({ webhookId, deleted: true })).body.data).to.include({ webhookId, deleted: true });
    expect(await list()).to.deep.equal([]);
  });

  it('change alone, and leave another as it was', async () => {
    const ids = [(await create()).body.data.webhookId, (await create()).body.data.webhookId];
    const others = (id: string) => service.db('webhooks').whereNot({ id }).orderBy('id');
    for (const id of ids) {
      const before = await others(id);
      expect((await save({ id, name: 'ERP', rotateSecret: true })).body.data).to.include({ webhookId: id });
      expect(await others(id)).to.deep.equal(before);
    }
  });

  it('leave the secret in no table, also where the request had an Idempotency-Key', async () => {
    const first = (await create({}, { headers: { 'idempotency-key': 'w1' } })).body.data;
    const [reply] = await service.db('replies').where({ key: 'w1' });
    expect(reply.outcome.data).to.deep.equal({ ...first, secret: '***' });
    const { rows } = await service.db.raw(
      `select (select json_agg(w) from webhooks w where host_id = :hostId)::text as webhooks,
        (select json_agg(r) from replies r where host_id = :hostId)::text as replies,
        (select json_agg(a) from audit_entries a where host_id = :hostId)::text as audit`,
      { hostId: demo.hostId },
    );
    const stored = JSON.stringify(rows);
    expect(stored).to.include(first.webhookId);
    expect(stored).to.not.include(first.secret.slice('whsec_'.length));
    expect(stored).to.not.include('whsec_');
  });

  it('get a new secret on request, beside which the old one stays for a day', async () => {
    const { webhookId, secret } = (await create()).body.data;
    const rotated = (await save({ id: webhookId, rotateSecret: true })).body.data;
    expect(rotated.secret)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    const { secrets } = await service.db('webhooks').where({ id: webhookId }).first();
    expect(secrets.map(({ until }: { until?: string }) => until === undefined)).to.deep.equal([true, false]);
    expect((Date.parse(secrets[1].until) - Date.now()) / 3_600_000).to.be.within(23.9, 24);
  });

  it('have URLs that are public', async () => {
    for (const url of someForms) {
      const { status, body } = await create({ url });
      expect([status, body.data.fields[0].path], url).to.deep.equal([400, 'url']);
    }
  });

  for (const [why, more, path] of [
    ['no URL', { url: 'crm' }, 'url'],
    ['another protocol', { url: 'ftp://crm.example/' }, 'url'],
    ['a password in it', { url: 'https://a:b@crm.example/' }, 'url'],
    ['a port of another service', { url: 'https://crm.example:25/' }, 'url'],
    ['a fragment', { url: 'https://crm.example/#a' }, 'url'],
    ['an unknown type', { events: ['ticket.closed'] }, 'events[0]'],
    ['a type that nobody wants', { events: ['webhook.test'] }, 'events[0]'],
    ['no name', { name: undefined }, 'name'],
  ] as const)
    it(`with ${why} are a 400 that names the field and changes nothing`, async () => {
      expectWrong(await create(more), path);
      expect(await list()).to.deep.equal([]);
    });

  it('are at most 20 for a host', async () => {
    const made = await Promise.all(Array.from({ length: 22 }, () => create()));
    const statuses = made.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).to.deep.equal([...Array(20).fill(200), 409, 409]);
    expect((await save({ id: (await list())[0].webhookId, enabled: false })).status).to.equal(200);
  });

  it('are not created by a request that is to delete one and does not say which', async () => {
    expectWrong(await create({ deleted: true }), 'id');
    expect(await list()).to.deep.equal([]);
  });

  it('are deleted with their deliveries', async () => {
    const { webhookId } = (await create()).body.data;
    await demo.call('testWebhook', { webhookId });
    const { status, body } = await save({ id: webhookId, deleted: true });
    expect({ status, deleted: body.data.deleted }).to.deep.equal({ status: 200, deleted: true });
    expect(await service.db('deliveries').where({ webhook_id: webhookId })).to.deep.equal([]);
    expect((await save({ id: webhookId, name: 'a' })).status).to.equal(404);
  });

  it('that are disabled are not tested', async () => {
    const { webhookId } = (await create({ enabled: false })).body.data;
    expect((await demo.call('testWebhook', { hostId: demo.hostId, webhookId })).status).to.equal(409);
  });
});
