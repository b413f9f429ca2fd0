import { expect } from 'chai';
import { expectRefused, expectWrong } from '../support/contract.ts';
import { deal } from '../support/crm.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { openService } from '../support/service.ts';
import { hmacOf, sendRaw, standardHeaders } from '../support/signed.ts';

describe('sources of signed records', () => {
  const service = openService();
  const { db } = service;
  const demo = openOnce(() => service.addHost());
  const operator = () => ({ token: service.operatorToken });

  const save = (body: Fields) => demo.call('saveSource', body, operator());
  const saved = async (body: Fields) => {
    const { status, body: answer } = await save(body);
    expect(status, JSON.stringify(answer)).to.equal(200);
    return answer.data;
  };
  const listed = async (name?: string) => (await demo.call('listSources', { name }, operator())).body.data;
  const send = async (path: string, n: number, secret: string) => {
    const body = JSON.stringify(deal(n));
    return (await sendRaw(service, path, body, standardHeaders(body, { secret }))).status;
  };

  it('show their secret once, keep two for a day after a rotation, and are refused once deleted', async () => {
    const made = await saved({ name: 'shop', kind: 'deals', scheme: 'standard' });
    const { url, secret: first } = made;
    expect(first).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await send(url, 1, first)).to.equal(200);
    expect(await listed('shop')).to.deep.equal([{ ...made, secret: '***' }]);

    const { secret: second, earlierValidUntil } = await saved({ name: 'shop', rotateSecret: true });
    expect(Date.parse(earlierValidUntil) - Date.now()).to.be.closeTo(86_400_000, 60_000);
    expect([await send(url, 2, first), await send(url, 3, second)]).to.deep.equal([200, 200]);
    await db('crm_sources').update({ earlier_valid_until: db.raw(`now() - interval '1 second'`) });
    expect([await send(url, 4, first), await send(url, 4, second)]).to.deep.equal([401, 200]);

    const off = await saved({ name: 'shop', enabled: false, ack: 'early' });
    expect(off).to.include({ enabled: false, ack: 'early', kind: 'deals', secret: '***', url });
    expect(await send(url, 5, second)).to.equal(401);
    await saved({ name: 'shop', enabled: true });
    expect(await send(url, 5, second)).to.equal(202);
    expect(await saved({ name: 'shop', deleted: true })).to.include({ enabled: false, deleted: true });
    expect(await send(url, 6, second)).to.equal(401);
    expectRefused(await save({ name: 'shop', deleted: true }), 'source-not-found');
    const entries = await db('audit_entries').where({
      host_id: demo.hostId,
      table_name: 'crm_sources',
      operation: 'saveSource',
    });
    expect(entries).to.have.length(5);
    const replies = await db('replies').where({ operation: 'saveSource' });
    const text = JSON.stringify([entries, replies, service.logged]);
    expect(text).to.not.include(first).and.not.include(second).and.not.include('sealed');
  });

  it('may sign by a header of their own, with a secret of their own', async () => {
    const secret = 'a secret of the shop system';
    const header = 'X-Zendesk-Webhook-Signature';
    const signing = {
      scheme: 'hmac',
      header,
      timestampHeader: `${header}-Timestamp`,
      encoding: 'base64',
      signed: '{timestamp}{body}',
    };
    const baseUrl = 'https://crm.example.com/';
    const made = await saved({ name: 'desk', kind: 'tickets', baseUrl, secret, ...signing });
    expect(made).to.include({
      baseUrl: 'https://crm.example.com',
      header: header.toLowerCase(),
      secret: '***',
    });
    const [, path = ''] = /^https:\/\/crm\.example\.com(\/api\S+)$/.exec(made.url) ?? [];
    const body = JSON.stringify({ external_id: 1, email: 'ana@example.com' });
    const at = new Date().toISOString();
    const answer = await sendRaw(service, path, body, {
      'x-zendesk-webhook-signature': hmacOf(secret, `${at}${body}`, { encoding: 'base64' }),
      'x-zendesk-webhook-signature-timestamp': at,
    });
    expect(answer.status).to.equal(200);
  });

  it('sign what their scheme leaves open, and a time only where it is checked', async () => {
    const header = 'x-signature';
    const made = { kind: 'deals', scheme: 'hmac', header };
    expect(await saved({ name: 'plain', ...made })).to.include({ signed: '{body}' });
    const timed = { timestampHeader: 'x-time' };
    expect(await saved({ name: 'timed', ...made, ...timed })).to.include({ signed: '{timestamp}.{body}' });
    const before = await db('crm_sources').orderBy('id');
    const base = { kind: 'deals', name: 'new' };
    for (const [field, body] of [
      ['scheme', { name: 'new', kind: 'deals' }],
      ['baseUrl', { ...base, scheme: 'hubspot', secret: 'the secret of the app' }],
      ['secret', { ...base, scheme: 'hubspot', baseUrl: 'https://crm.example.com' }],
      ['header', { ...base, scheme: 'standard', header }],
      ['header', { ...base, scheme: 'hmac' }],
      ['header', { ...base, scheme: 'hmac', header: 'X Y' }],
      ['signed', { ...base, ...made, signed: 'body' }],
      ['signed', { ...base, ...made, signed: '{body}{body}' }],
      ['signed', { ...base, ...made, signed: '{timestamp}.{body}' }],
      ['signed', { ...base, ...made, ...timed, signed: '{body}' }],
      ['baseUrl', { ...base, ...made, baseUrl: 'ftp://crm.example.com' }],
      ['secret', { ...base, ...made, secret: 'too short' }],
      ['secret', { ...base, scheme: 'standard', secret: 'whsec_dG9vIHNob3J0' }],
      ['secret', { ...base, scheme: 'standard', secret: `${'A'.repeat(43)}=` }],
      ['secret', { name: 'plain', secret: 'another secret of the shop' }],
      ['scheme', { name: 'plain', scheme: 'standard' }],
    ] as const)
      expectWrong(await save(body), field);
    expect(await db('crm_sources').orderBy('id')).to.deep.equal(before);
  });

  it('are changed one by one, each of its own host', async () => {
    for (const name of ['one', 'two']) await saved({ name, kind: 'deals', scheme: 'standard' });
    const others = (name: string) => db('crm_sources').whereNot({ name }).orderBy('id');
    for (const name of ['one', 'two']) {
      const before = await others(name);
      await saved({ name, enabled: false, rotateSecret: true });
      expect(await others(name)).to.deep.equal(before);
    }
    const theirs = { hostId: service.acme.hostId, name: 'one', deleted: true };
    expectRefused(await service.acme.call('saveSource', theirs, operator()), 'source-not-found');
  });
});
