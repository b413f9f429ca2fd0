import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startApi } from '../../api/start.ts';
import { makeLog } from '../../platform/log.ts';
import { tokenScopes } from '../../queues/contract/operation.ts';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import type { Fields } from '../support/operation-calls.ts';
import { type ApiResponse, type CallOptions, openService } from '../support/service.ts';

const PATH = '/console/session';
const SIGN_IN = '/console/sign-in';

describe('a session of the console', () => {
  const service = openService();
  const { demo, db } = service;
  afterEach(async () => {
    await db('people').delete();
    await db('token_sessions').delete();
  });

  const add = async (role: string): Promise<string> => {
    const person = { name: `Bia ${role}`, email: `${randomUUID()}@horizonte.example`, role };
    return (await demo.call('savePerson', person)).body.data.personId;
  };
  const invite = async (personId: string): Promise<string> =>
    (await demo.call('invitePerson', { personId })).body.data.link.split('#entrar=')[1];
  const exchange = (token: string, headers = {}) =>
    service.call(SIGN_IN, undefined, { token, method: 'POST', headers });
  const cookieOf = ({ headers }: ApiResponse) => headers.get('set-cookie')?.split(';')[0] ?? '';
  const signIn = async (role: string) => {
    const personId = await add(role);
    const answer = await exchange(await invite(personId));
    return { personId, cookie: cookieOf(answer), answer };
  };
  const by = (cookie: string, headers = {}): CallOptions => ({
    token: undefined,
    headers: { cookie, 'x-parley-console': '1', ...headers },
  });
  const list = (cookie: string, headers = {}) =>
    demo.call('listAvatars', { host_slug: demo.slug }, by(cookie, headers));

  it('is a cookie that no script and no other site can use', async () => {
    const { answer, personId } = await signIn('manager');
    expect(answer.headers.get('set-cookie')).to.match(
      /^parley_session=ses_\w+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    const { hosts, ...data } = answer.body.data;
    const scopes = ['reason', 'search', 'manage', 'report', 'intake'];
    expect(data).to.deep.equal({ id: personId, name: 'Bia manager', role: 'manager', scopes });
    const own = await db('hosts').where({ id: demo.hostId }).first();
    const host = { host_id: own.id, host_slug: own.slug, host_name: own.name, time_zone: own.time_zone };
    expect(hosts).to.deep.equal([host]);
    expect(JSON.stringify(answer.body)).not.to.include('ses_');
    const stored = await db.raw('select person_sessions::text as row from person_sessions');
    const secret = cookieOf(answer).split('=')[1] ?? '';
    expect(JSON.stringify([stored.rows, service.logged])).not.to.include(secret);
  });

  it('is sent over https only where the page came so, also behind a proxy that does not say it', async () => {
    const { host } = new URL(service.baseURL);
    const token = await service.makeToken({ hostIds: [demo.hostId] });
    const flagsFor = async (headers: object) => (await exchange(token, headers)).headers.get('set-cookie');
    expect(await flagsFor({ origin: `https://${host}` })).to.match(/; Secure$/);
    expect(await flagsFor({ origin: `http://${host}` })).not.to.match(/Secure/);
    // TRUST_PROXY is not set: anybody could say so.
    expect(await flagsFor({ 'x-forwarded-proto': 'https' })).not.to.match(/Secure/);
  });

  it('is told by its link before it begins, and the link still works then', async () => {
    const link = await invite(await add('agent'));
    const tell = (token: string) =>
      service.call('/console/sign-in-link', undefined, { token, method: 'POST' });
    const told = await tell(link);
    const host_name = (await db('hosts').where({ id: demo.hostId }).first()).name;
    expect(told.body.data).to.deep.equal({ name: 'Bia agent', host_name, host_picture: '' });
    expect(told.headers.get('set-cookie')).to.equal(null);
    expect((await exchange(link)).status).to.equal(200);
    expect([(await tell(link)).status, (await tell('lnk_wrong')).status]).to.deep.equal([401, 401]);
  });

  it('may do what the role may, and no more', async () => {
    const agent = ['reason', 'search'];
    const manager = [...agent, 'manage', 'report', 'intake'];
    const scopesOf = { agent, manager, admin: [...manager, 'admin'] };
    for (const [role, scopes] of Object.entries(scopesOf)) {
      const { cookie } = await signIn(role);
      for (const name of operationNames) {
        const { scope, orScope, isForOperators, method, path } = operationOf(name);
        if (scope === undefined || path.includes(':') || name === 'findJob') continue;
        const may = [scope, orScope].some(each => each !== undefined && scopes.includes(each));
        // Without a valid body nothing is done.
        const { status, body } = await service.call(path, method === 'POST' ? '[]' : undefined, by(cookie));
        const isRefused = /lacks the required scope$|^Only a token of operators may do this$/.test(
          body.message,
        );
        expect(isRefused, `${role} ${name} ${status}`).to.equal(!may || isForOperators === true);
      }
    }
    expect(tokenScopes).to.include.members(scopesOf.admin);
  });

  it('begins by a link once, however many try at the same moment, and by no link that is late or replaced', async () => {
    const personId = await add('agent');
    const [replaced, link] = [await invite(personId), await invite(personId)];
    expect((await exchange(replaced)).status).to.equal(401);
    const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(link)));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).to.deep.equal([200, ...Array(5).fill(401)]);
    const late = await invite(personId);
    await db('people').where({ id: personId }).update({ link_expires_at: new Date() });
    expect((await exchange(late)).status).to.equal(401);
  });

  it('is had again by the browser that did not get the answer, and by nobody else', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const link = await invite(await add('agent'));
    const cookie = cookieOf(await exchange(link, key));
    const again = await exchange(link, { ...key, cookie });
    expect([again.status, cookieOf(again)]).to.deep.equal([200, cookie]);
    expect((await list(cookie)).status).to.equal(200);
    for (const other of [{}, { 'idempotency-key': randomUUID() }])
      expect((await exchange(link, other)).status).to.equal(401);
    await service.call(PATH, undefined, { ...by(cookie), method: 'DELETE' });
    expect((await exchange(link, key)).status).to.equal(401);
    const guessable = { 'idempotency-key': '1' };
    const other = await invite(await add('agent'));
    const statuses = [await exchange(other, guessable), await exchange(other, guessable)];
    expect(statuses.map(({ status }) => status)).to.deep.equal([200, 401]);
  });

  it('sees no other host: an id of one is like none', async () => {
    const { cookie } = await signIn('admin');
    const { acme } = service;
    const { personId } = await acme.make('savePerson', { email: 'rui@acme.example' });
    for (const id of [personId, randomUUID()])
      expect((await demo.call('savePerson', { id, name: 'Eve' }, by(cookie))).status).to.equal(404);
    for (const hostId of [acme.hostId, randomUUID()])
      expect((await demo.call('listPeople', { hostId }, by(cookie))).status).to.equal(403);
    const chosen = by(cookie, { 'x-choosen-host-id': acme.hostId });
    expect((await demo.call('listPeople', { hostId: acme.hostId }, chosen)).status).to.equal(403);
  });

  it('writes only with the header that no form of another site can send', async () => {
    const { cookie } = await signIn('admin');
    const person = { name: 'Eve', email: 'eve@x.example', role: 'admin' };
    const without = { token: undefined, headers: { cookie } };
    const refused = await demo.call('savePerson', person, without);
    const message = 'A write with a session of the console needs the header X-Parley-Console';
    expect([refused.status, refused.body.message]).to.deep.equal([403, message]);
    const headers = { cookie, origin: 'https://evil.example', 'content-type': 'text/plain' };
    const sent = await demo.call('savePerson', JSON.stringify(person), { token: undefined, headers });
    expect(sent.status).to.equal(403);
    expect((await service.call(PATH, undefined, { ...without, method: 'DELETE' })).status).to.equal(403);
    expect(await db('people').where({ name: 'Eve' })).to.deep.equal([]);
    expect((await service.call(PATH, undefined, without)).status).to.equal(200);
  });

  it('is a cookie and nothing else: its secret is no token, no token is a cookie, and a token beside it counts alone', async () => {
    const { cookie } = await signIn('agent');
    const token = cookie.split('=')[1] ?? '';
    expect((await service.call(PATH, undefined, { token })).status).to.equal(401);
    expect((await list(`parley_session=${demo.token}`)).status).to.equal(401);
    const both = { token: 'svc_wrong', headers: { cookie, 'x-parley-console': '1' } };
    expect((await service.call(PATH, undefined, both)).status).to.equal(401);
  });

  it('is refused to a page that shows the session of somebody else', async () => {
    const { cookie, personId } = await signIn('agent');
    expect((await list(cookie, { 'x-parley-console': personId })).status).to.equal(200);
    expect((await list(cookie, { 'x-parley-console': randomUUID() })).status).to.equal(401);
  });

  it('ends at once when the person is disabled or sent out, in every web process, and a link ends with it', async () => {
    const other = await startApi({ ...service.settings, port: 0 }, makeLog('test', 'silent'));
    try {
      const readThere = async (cookie: string) => {
        const response = await fetch(`http://127.0.0.1:${other.port}${PATH}`, { headers: { cookie } });
        await response.text();
        return response.status;
      };
      const [bia, rui] = [await signIn('manager'), await signIn('agent')];
      const [linkOfBia, linkOfRui] = [await invite(bia.personId), await invite(rui.personId)];
      expect([await readThere(bia.cookie), await readThere(rui.cookie)]).to.deep.equal([200, 200]);
      await demo.call('savePerson', { id: bia.personId, disabled: true });
      await demo.call('endSessions', { personId: rui.personId });
      expect([await readThere(bia.cookie), await readThere(rui.cookie)]).to.deep.equal([401, 401]);
      for (const link of [linkOfBia, linkOfRui]) expect((await exchange(link)).status).to.equal(401);
      await demo.call('savePerson', { id: bia.personId, disabled: false });
      expect(await readThere(bia.cookie)).to.equal(401);
      const again = cookieOf(await exchange(await invite(rui.personId)));
      expect(await readThere(again)).to.equal(200);
    } finally {
      await other.close();
    }
  });

  it('may do at once what another role may', async () => {
    const { cookie, personId } = await signIn('manager');
    const read = () => demo.call('listDatasets', { host_slug: demo.slug }, by(cookie));
    expect((await read()).status).to.equal(200);
    await demo.call('savePerson', { id: personId, role: 'agent' });
    expect((await read()).status).to.equal(403);
  });

  it('lasts for thirty days since its last use, which is written once an hour at most', async () => {
    const token = await service.makeToken({ hostIds: [demo.hostId] });
    const sessions = {
      person_sessions: (await signIn('agent')).cookie,
      token_sessions: cookieOf(await exchange(token)),
    };
    for (const [table, cookie] of Object.entries(sessions)) {
      const set = (left: string) => db.raw('update ?? set expires_at = now() + ?::interval', [table, left]);
      const read = async () => {
        const hours = 'extract(epoch from expires_at - now()) / 3600 as hours';
        return db(table).first<{ version: string; hours: string }>(db.raw(`xmin::text as version, ${hours}`));
      };
      const use = async () => (await list(cookie)).status;
      expect(Number((await read()).hours), table).to.be.within(719.9, 720);
      await set('719 hours 1 minute');
      const { version } = await read();
      await Promise.all([use(), use(), use()]);
      expect((await read()).version, table).to.equal(version);
      await set('1 minute');
      expect(await Promise.all([use(), use(), use()]), table).to.deep.equal([200, 200, 200]);
      expect(Number((await read()).hours), table).to.be.within(719.9, 720);
      // As before SESSION_DAYS was lowered.
      await set('300 days');
      await use();
      expect(Number((await read()).hours), table).to.be.within(719.9, 720);
      await set('-1 second');
      expect(await use(), table).to.equal(401);
    }
  });

  it('of a token ends with it, and has its rights', async () => {
    const hostIds = [demo.hostId, service.acme.hostId];
    const token = await service.makeToken({ name: 'both', hostIds, scopes: ['reason'] });
    const answer = await exchange(token);
    expect(answer.body.data).to.include({ name: 'both' }).and.not.have.property('role');
    expect(answer.body.data.hosts).to.have.length(2);
    const cookie = cookieOf(answer);
    expect((await list(cookie, { 'x-choosen-host-id': demo.hostId })).status).to.equal(200);
    await db('tokens').where({ name: 'both' }).update({ revoked_at: new Date() });
    expect((await service.call(PATH, undefined, by(cookie))).status).to.equal(401);
    expect((await exchange(token)).status).to.equal(401);
  });

  it('of a token counts as a use of it', async () => {
    const token = await service.makeToken({ name: 'used', hostIds: [demo.hostId] });
    const cookie = cookieOf(await exchange(token));
    const used = () => service.db('tokens').where({ name: 'used' });
    const longAgo = new Date(0);
    await used().update({ last_used_at: longAgo });
    const before = Date.now();
    expect((await list(cookie)).status).to.equal(200);
    const { last_used_at: usedAt } = await used().first('last_used_at');
    expect(Number(usedAt)).to.be.within(before - 1, Date.now() + 1);
    await used().update({ revoked_at: longAgo, last_used_at: longAgo });
    expect((await list(cookie)).status).to.equal(401);
    expect(await used().first('last_used_at')).to.deep.equal({ last_used_at: longAgo });
  });

  it('ends by signing out, by its time, and by signing in again in the same browser', async () => {
    const { cookie } = await signIn('agent');
    const out = await service.call(PATH, undefined, { ...by(cookie), method: 'DELETE' });
    expect([out.status, /Max-Age=0/.test(out.headers.get('set-cookie') ?? '')]).to.deep.equal([200, true]);
    expect((await list(cookie)).status).to.equal(401);
    const second = await signIn('agent');
    await db('person_sessions').update({ expires_at: new Date() });
    expect((await list(second.cookie)).status).to.equal(401);
    const third = await signIn('agent');
    const fourth = await exchange(await invite(third.personId), { cookie: third.cookie });
    expect((await list(third.cookie)).status).to.equal(401);
    expect((await list(cookieOf(fourth))).status).to.equal(200);
  });

  it('is named in the audit by its person', async () => {
    const { cookie, personId } = await signIn('admin');
    await demo.call('savePerson', { name: 'Rui', email: 'rui@horizonte.example', role: 'agent' }, by(cookie));
    const { items } = (await demo.call('listAudit', { limit: 2 })).body.data;
    const actor = { actorKind: 'person', personId, tokenId: null, actorName: 'Bia admin' };
    expect(items[0]).to.deep.include({ ...actor, operation: 'savePerson', table: 'people' });
    expect(items[1]).to.deep.include({ ...actor, operation: 'console sign-in', rowId: personId });
    const listed = (await demo.call('listPeople', {}, by(cookie))).body.data;
    const own = listed.find((person: Fields) => person['personId'] === personId);
    expect(Math.abs(Date.parse(own.lastSeenAt) - Date.now())).to.be.below(60_000);
    expect(own.invitedUntil).to.equal(null);
  });
});
