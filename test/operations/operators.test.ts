import { expect } from 'chai';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { type Fields, send } from '../support/operation-calls.ts';
import { type CallOptions, openService } from '../support/service.ts';

describe('operators', () => {
  const service = openService();
  const { db } = service;

  const call = (name: Parameters<typeof send>[1], body: Fields, options: CallOptions = {}) =>
    send(service, name, body, options);
  const avatarsWith = async (token: string) =>
    (
      await service.call(
        '/api/externalAPIs/public/svcReasoning/avatarsListHelper',
        { host_slug: 'x' },
        { token },
      )
    ).status;

  it('make tokens whose text is shown once, and is in no log, audit or stored reply', async () => {
    const { hostId } = service.demo;
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const body = { hostIds: [hostId], scopes: ['reason'], expires: '12h', name: 'made' };
    const { data } = (await call('issueToken', body, { headers })).body;
    expect(data.token).to.match(/^svc_[0-9A-Za-z]{49}$/);
    expect(Date.parse(data.expiresAt) - Date.now()).to.be.closeTo(43_200_000, 60_000);
    expect(await avatarsWith(data.token)).to.equal(403);
    const [reply] = await db('replies').where({ operation: 'issueToken' });
    expect(reply.outcome.data).to.deep.equal({ ...data, token: '***' });
    const audited = await db('audit_entries').where({ operation: 'issueToken', host_id: hostId });
    expect(audited.map(({ actor_kind, after }) => [actor_kind, after.name])).to.deep.equal([
      ['token', 'made'],
    ]);
    const text = JSON.stringify([audited, reply, await db('tokens').select(), service.logged]);
    expect(text).to.not.include(data.token);
  });

  it('list tokens without their texts, and revoke one at once', async () => {
    const { data } = (await call('issueToken', { operator: true, expires: 'never' })).body;
    const listed = async () =>
      (await call('listTokens', {})).body.data.find((each: Fields) => each['tokenId'] === data.tokenId);
    expect(await listed()).to.include({
      kind: 'operator',
      name: 'operator',
      state: 'valid',
      expiresAt: null,
    });
    expect(JSON.stringify(await listed())).to.not.include(data.token);
    expect((await call('revokeToken', { tokenId: data.tokenId })).status).to.equal(200);
    expect((await listed()).state).to.equal('revoked');
    expect(await avatarsWith(data.token)).to.equal(401);
    expectRefused(await call('revokeToken', { tokenId: crypto.randomUUID() }), 'token-not-found');
  });

  it('name the hosts of a token or all, and only hosts that there are', async () => {
    for (const body of [{}, { operator: true, hostIds: [service.demo.hostId] }])
      expectWrong(await call('issueToken', body), 'hostIds');
    expectRefused(await call('issueToken', { hostIds: [crypto.randomUUID()] }), 'host-forbidden');
    const { hostId } = service.demo;
    const twice = { hostIds: [hostId, hostId.toUpperCase()], name: 'named twice' };
    expect((await call('issueToken', twice)).status).to.equal(200);
    expect((await db('tokens').where({ name: 'named twice' }).first()).kind).to.equal('host');
  });

  it('create hosts, each with a slug of its own', async () => {
    const created = await call('createHost', { slug: 'made-here', name: 'Made', share: 3 });
    expect(created.body.data).to.include({ slug: 'made-here', name: 'Made', share: 3, maxChunks: 10 });
    expectRefused(await call('createHost', { slug: 'made-here', name: 'Again' }), 'slug-taken');
    expectWrong(await call('createHost', { slug: 'Not_A_Slug', name: 'X' }), 'slug');
    await db('hosts').where({ slug: 'made-here' }).delete();
  });

  it('set what a host pays from a day on, and set that day right', async () => {
    const { hostId } = service.acme;
    for (const [price, startsOn] of [
      ['1.8', '2026-03-01'],
      ['2.5001', '2026-01-01'],
      ['2', '2026-03-01'],
    ])
      expect((await call('saveContract', { hostId, startsOn, price, services: 9 })).status).to.equal(200);
    expect((await call('listContracts', { hostId })).body.data).to.deep.equal([
      { startsOn: '2026-01-01', price: '2.5001', services: 9 },
      { startsOn: '2026-03-01', price: '2.0000', services: 9 },
    ]);
    for (const wrong of [
      { startsOn: '2026-02-30' },
      { startsOn: '0000-01-01' },
      { price: '1,5' },
      { services: -1 },
    ]) {
      const contract = { hostId, startsOn: '2026-01-01', price: '1', services: 1, ...wrong };
      expectWrong(await call('saveContract', contract), Object.keys(wrong));
    }
  });

  it('are alone in it, whatever the scopes of others', async () => {
    const { hostId } = service.demo;
    const domain = await service.makeToken({ hostIds: [hostId, service.acme.hostId] });
    for (const token of [service.demo.token, domain]) {
      expectRefused(await call('createHost', { slug: 'theirs', name: 'X' }, { token }), 'operators-only');
      expectRefused(await call('issueToken', { operator: true }, { token }), 'operators-only');
      expectRefused(await call('listTokens', {}, { token }), 'operators-only');
      const contract = { hostId, startsOn: '2026-01-01', price: '0', services: 0 };
      expectRefused(await call('saveContract', contract, { token }), 'operators-only');
    }
  });
});
