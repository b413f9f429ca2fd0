import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { findHostBySlug, type Host } from '../../db/hosts/hosts.ts';
import { revokeToken } from '../../db/hosts/tokens.ts';
import { withHost } from '../../db/with-hosts.ts';
import { expectRefused, expectWrong } from '../support/contract.ts';
import type { Fields } from '../support/operation-calls.ts';
import { type CallOptions, openOwnService } from '../support/service.ts';
import { runIn } from '../support/statements.ts';

describe('the settings of hosts', () => {
  const service = openOwnService();
  const { demo } = service;
  let hostId: string;
  before(() => {
    hostId = demo.hostId;
  });

  const save = (body: Fields, options: CallOptions = {}) =>
    demo.call('saveHost', { hostId, ...body }, options);
  const list = async (body: Fields = {}) => (await demo.call('listHosts', body)).body.data;
  const stored = async (slug = demo.slug) => (await findHostBySlug(service.db, slug)) as Host;

  const changes: readonly Fields[] = [
    { name: 'Universidade Nova' },
    { picture: 'https://a.example/logo.png' },
    { picture: '' },
    { timeZone: 'America/Manaus' },
    { businessHours: [{ days: [1, 7], from: '22:00', to: '06:00' }] },
    { businessHours: [] },
    { maxChunks: 100 },
    { chunkSizeLimit: 1_000_000 },
    { share: 10 },
    { modelFallbacks: ['small', 'other'] },
    { modelFallbacks: [] },
    { bursts: 'last' },
    { return_after_minutes: 5, window_hours: { whatsapp: 24, sms: 720 }, turns_per_person_per_hour: 1 },
    { return_after_minutes: null, window_hours: {}, turns_per_person_per_hour: 60 },
    { files_quota_mb: 1 },
    { name: 'U', share: 1, bursts: 'each' },
    {},
  ];
  for (const change of changes)
    it(`change in what is given and in nothing else: ${JSON.stringify(change)}`, async () => {
      const before = await stored();
      const { status, body } = await save(change);
      expect([status, body.data]).to.deep.equal([200, { ...before, ...change }]);
      expect(await stored()).to.deep.equal({ ...before, ...change });
    });

  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    name: ['', 'x'.repeat(201), 7],
    picture: ['javascript:alert(1)', `https://a.example/${'x'.repeat(2_000)}`],
    timeZone: ['Mars/Olympus', '', '+03:00', 'x'.repeat(201)],
    businessHours: [
      'always',
      [{ days: [1], from: '24:00', to: '08:00' }],
      [{ days: [1], from: '08:00', to: '24:01' }],
      [{ days: [1], from: '08:00', to: '25:00' }],
      [{ days: [], from: '08:00', to: '09:00' }],
    ],
    maxChunks: [0, 101, 1.5, '7'],
    chunkSizeLimit: [0, 1_000_001],
    share: [0, 11],
    modelFallbacks: [Array(11).fill('a'), ['']],
    bursts: ['none'],
    return_after_minutes: [4, 10_081, 5.5],
    window_hours: [24, { whatsapp: 0 }, { whatsapp: null }],
    turns_per_person_per_hour: [0, 1.5, 100_001],
    files_quota_mb: [0, 10_485_761],
  };
  for (const [field, values] of Object.entries(wrong))
    it(`keep ${field} where it is wrong, and the answer names it`, async () => {
      const before = await stored();
      for (const value of values) {
        const { status, body } = await save({ share: 3, [field]: value });
        expect(status, JSON.stringify(value)).to.equal(400);
        expect(body.data.fields[0].path).to.match(new RegExp(`^${field}\\b`));
      }
      expect(await stored()).to.deep.equal(before);
    });

  it('take every time zone that JavaScript knows', async () => {
    const names = Intl.supportedValuesOf('timeZone');
    const { rows } = await service.db.raw(
      "select name from unnest(?::text[]) name where timestamptz '2000-01-01 00:00Z' at time zone name is null",
      [names],
    );
    expect(rows).to.deep.equal([]);
  });

  it('take midnight for the end of a day’s hours', async () => {
    for (const [from, open] of [
      ['00:00', 1_440],
      ['08:00', 960],
    ] as const) {
      await save({ businessHours: [{ days: [1], from, to: '24:00' }] });
      const minutes = service
        .db('hosts')
        .where({ id: hostId })
        .select({ open: service.db.raw('bit_count(open_minutes)') });
      expect((await minutes).map(row => Number(row.open))).to.deep.equal([open]);
    }
    await save({ businessHours: [] });
  });

  it('count the days of reports anew where the hours change, and only there', async () => {
    const { db } = service;
    const [talk] = await db('conversations').insert({ host_id: hostId }).returning<{ id: string }[]>('id');
    // Sunday, three o'clock in UTC.
    const message = { host_id: hostId, conversation_id: talk?.id, author: 'user', content: 'Oi' };
    await db('messages').insert({ ...message, created_at: '2026-03-01T03:00:00Z' });
    const days = () =>
      db('report_days')
        .where({ host_id: hostId, kind: 'user' })
        .select(db.raw('day::text'), 'total', 'after_hours');
    await save({ timeZone: 'UTC', businessHours: [{ days: [7], from: '00:00', to: '24:00' }] });
    expect(await days()).to.deep.equal([{ day: '2026-03-01', total: '1', after_hours: '0' }]);
    await save({ timeZone: 'America/Manaus' });
    expect(await days()).to.deep.equal([{ day: '2026-02-28', total: '1', after_hours: '1' }]);
    await db('report_days').where({ host_id: hostId }).delete();
    await save({ timeZone: 'America/Manaus', share: 2 });
    expect(await days()).to.deep.equal([]);
  });

  it('are nobody’s but the operator’s to change or to list, whatever the scopes', async () => {
    const before = await stored();
    const domain = await service.makeToken({ hostIds: [hostId, service.acme.hostId] });
    for (const token of [demo.token, service.acme.token, domain]) {
      expectRefused(await save({ share: 9 }, { token }), 'operators-only');
      expectRefused(await demo.call('listHosts', {}, { token }), 'operators-only');
    }
    const token = await service.makeToken({ hostIds: 'all', scopes: ['manage'] });
    expectRefused(await save({ share: 9 }, { token }), 'forbidden', { hint: 'it needs the scope admin' });
    expect(await stored()).to.deep.equal(before);
  });

  it('are not changed by the role of hosts, but for the token of an operator', async () => {
    const ids = await service.db('tokens').orderBy('created_at').select('id', 'kind');
    const idOf = (kind: string) => ids.find(each => each.kind === kind).id as string;
    const changed = (tokenId?: string, of = hostId) =>
      withHost(
        service.db,
        hostId,
        async ({ tx }) => (await runIn(tx, `select change_host('${of}', '{"share": 4}') as may`))[0].may,
        tokenId === undefined ? undefined : { kind: 'token', tokenId, name: '', operation: 'saveHost' },
      );
    const { id: revoked } = await revokedOperator();
    for (const tokenId of [undefined, idOf('host'), randomUUID(), revoked])
      expect(await changed(tokenId)).to.equal(false);
    expect(await changed(idOf('operator'), service.acme.hostId)).to.equal(false);
    expect((await stored()).share).to.not.equal(4);
    expect(await changed(idOf('operator'))).to.equal(true);
    expect((await stored()).share).to.equal(4);
  });

  const revokedOperator = async () => {
    await service.makeToken({ hostIds: 'all', name: 'gone' });
    const row = await service.db('tokens').where({ name: 'gone' }).first('id');
    await revokeToken(service.db, row.id);
    return row as { id: string };
  };

  it('never change what identifies the host', async () => {
    const { id, slug } = await stored();
    await service.db.raw(`select change_host(?, '{"id": "${randomUUID()}", "slug": "other"}')`, [id]);
    expect(await stored()).to.include({ id, slug });
  });

  it('are those of the host in hostId; another choice beside it, or a host that there is not, is a 403', async () => {
    const acme = service.acme.hostId;
    expect((await save({ hostId: acme, maxChunks: 3 })).body.data).to.include({ id: acme, maxChunks: 3 });
    expect((await save({ choosenHostId: hostId, maxChunks: 4 })).body.data).to.include({ id: hostId });
    expectRefused(await save({ choosenHostId: acme }), 'host-forbidden');
    expectRefused(await save({}, { headers: { 'x-choosen-host-id': acme } }), 'host-forbidden');
    expectRefused(await save({ hostId: randomUUID() }), 'host-forbidden');
    expectWrong(await save({ hostId: undefined, share: 1 }), 'hostId', /^is required$/);
  });

  it('are listed of every host by slug, page by page, as they are saved', async () => {
    const [first, last] = [await stored(service.acme.slug), await stored()];
    expect(await list()).to.deep.equal({ items: [first, last], nextCursor: null });
    const { items, nextCursor: cursor } = await list({ limit: 1 });
    expect(items).to.deep.equal([first]);
    expect(await list({ limit: 1, cursor })).to.deep.equal({ items: [last], nextCursor: null });
    expect((await list({ choosenHostId: hostId })).items).to.deep.equal([last]);
  });
});
