import { expect } from 'chai';
import type { TokenScope } from '../../queues/contract/operation.ts';
import { inLanes } from '../support/in-lanes.ts';
import { type Command, runCommand } from '../support/run-command.ts';
import { openService, PUBLIC } from '../support/service.ts';

const AVATARS = `${PUBLIC}/svcReasoning/avatarsListHelper`;
const CREATE = `${PUBLIC}/createConversationId`;
const tokenLine = /^svc_[0-9A-Za-z]{49}\n$/;

describe('a token', () => {
  const service = openService();
  const { demo, acme } = service;

  const list = async (token: string, slug = demo.slug, choosenHostId?: string) =>
    (await service.call(AVATARS, { host_slug: slug, ...(choosenHostId ? { choosenHostId } : {}) }, { token }))
      .status;
  const named = (name: string) => service.db('tokens').where({ name });
  const made = async (name: string, more: object = {}) =>
    service.makeToken({ name, hostIds: [demo.hostId], ...more });

  it('loses a host, and gains one, from the next request on', async () => {
    const token = await made('changing', { hostIds: [demo.hostId, acme.hostId] });
    const [{ id }] = await named('changing');
    expect(await list(token, acme.slug, acme.hostId)).to.equal(200);
    await service.db('token_hosts').where({ token_id: id, host_id: acme.hostId }).delete();
    expect(await list(token, acme.slug, acme.hostId)).to.equal(403);
    await service.db('token_hosts').insert({ token_id: id, host_id: acme.hostId });
    expect(await list(token, acme.slug, acme.hostId)).to.equal(200);
  });

  it('needs one of two scopes where a call takes either', async () => {
    const statusWith = async (scope: TokenScope) => {
      const token = await service.makeToken({ hostIds: [demo.hostId], scopes: [scope] });
      return (await service.call('/search-index/events/health', undefined, { token })).status;
    };
    const statuses = (['search:write', 'admin', 'search'] as const).map(statusWith);
    expect(await Promise.all(statuses)).to.deep.equal([200, 200, 403]);
  });

  it('appears nowhere in the log', async () => {
    await list(demo.token);
    expect(service.logged.join('')).to.include('"tokenId"').and.not.include(demo.token);
  });
});

describe('the command', () => {
  const service = openService();
  const { demo, acme } = service;

  const run = (line: string): Promise<Command> => {
    const { databaseUrl, secretKey } = service.settings;
    const [name = '', ...args] = line.split(' ');
    return runCommand(name, args, { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey });
  };
  const rowOf = (name: string) => service.db('tokens').where({ name }).first();
  const hostsOf = (id: string) => {
    const hosts = service.db('token_hosts').join('hosts', 'hosts.id', 'host_id').where({ token_id: id });
    return hosts.orderBy('slug').pluck('slug');
  };
  const answers = async (token: string, body: object) =>
    (await service.call(AVATARS, body, { token })).status;

  it('token create prints the text alone, once, and stores its hash alone', async () => {
    const { code, out, err } = await run(`token create --host ${demo.slug} --name plain`);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    expect(out).to.match(tokenLine);
    expect(await answers(out.trim(), { host_slug: demo.slug })).to.equal(200);
    const row = await rowOf('plain');
    expect(JSON.stringify(row)).to.not.include(out.trim());
    const scopes = ['reason', 'manage', 'report', 'intake', 'search'];
    expect([row.kind, row.scopes, await hostsOf(row.id)]).to.deep.equal(['host', scopes, [demo.slug]]);
    expect((row.expires_at - row.created_at) / 86_400_000).to.be.closeTo(365, 0.01);
  });

  it('token create makes a domain token of several hosts, with the scopes and the end it is given', async () => {
    const line = `token create --host ${demo.slug} --host ${acme.slug} --scope reason report --expires 12h --name both`;
    const { out } = await run(line);
    const row = await rowOf('both');
    const told = [row.kind, await hostsOf(row.id), row.scopes];
    expect(told).to.deep.equal(['domain', [acme.slug, demo.slug], ['reason', 'report']]);
    expect((row.expires_at - row.created_at) / 3_600_000).to.be.closeTo(12, 0.01);
    const { hostId } = service.acme;
    expect(await answers(out.trim(), { host_slug: acme.slug, choosenHostId: hostId })).to.equal(200);
    expect(await answers(out.trim(), { host_slug: acme.slug })).to.equal(409);
  });

  it('token create makes a token for the hosts there will be, which may never end', async () => {
    const { out } = await run('token create --operator --expires never --scope reason,admin');
    const row = await rowOf('operator');
    expect([row.kind, row.expires_at, row.scopes]).to.deep.equal(['operator', null, ['reason', 'admin']]);
    const host = await run('host create --slug later --name Later');
    expect(host).to.include({ code: 0, err: '' });
    const [id = ''] = host.out.trim().split('\n').at(-1)?.split('\t') ?? [];
    const body = { hostId: id, hostSlug: 'later', choosenHostId: id };
    expect((await service.call(CREATE, body, { token: out.trim() })).status).to.equal(200);
  });

  it('says what was wrong, ends with 1 and changes nothing', async () => {
    const before = await Promise.all([service.db('tokens').select(), service.db('hosts').select()]);
    const { slug } = demo;
    const lines = {
      'token create': 'hostIds either it or operator is required, not both',
      [`token create --operator --host ${slug}`]: 'hostIds either it or operator is required, not both',
      'token create --host nobody': 'There is no host "nobody".',
      [`token create --host ${slug} --scope everything`]: 'scopes[0] must be one of reason, manage',
      [`token create --host ${slug} --expires soon`]: 'expires must be hours or days',
      [`token create --host ${slug} --expires 0d`]: 'expires must be hours or days',
      [`token create --host ${slug} --colour red`]: 'There is no field "colour"',
      [`token revoke ${crypto.randomUUID()}`]: 'token-not-found: Token not found',
      'token revoke': 'tokenId is required',
      [`host create --slug ${slug} --name Again`]: 'slug-taken: ',
      'host create --slug Not_A_Slug --name X': 'slug must be 2 to 63 lowercase letters',
      'host create --slug nameless': 'name is required',
      'host set --slug nobody --name X': 'There is no host "nobody".',
    };
    // Two at a time, because each is a process.
    const ran = async ([line, said]: [string, string]) => ({ line, said, ...(await run(line)) });
    for (const { line, said, code, out, err } of await inLanes(2, Object.entries(lines), ran)) {
      expect([code, out], line).to.deep.equal([1, '']);
      expect(err, line).to.include(said);
      expect(err, line).to.not.match(/^ {4}at |insert into|update hosts|violates/m);
    }
    const after = await Promise.all([service.db('tokens').select(), service.db('hosts').select()]);
    expect(after).to.deep.equal(before);
  });

  it('says what to do where there is no database', async () => {
    const { code, err } = await runCommand('token', ['list'], { DATA_DIR: '/nonexistent/parley' });
    expect({ code, lines: err.trimEnd().split('\n').length }).to.deep.equal({ code: 1, lines: 1 });
    expect(err).to.include('set DATABASE_URL, or run npm start');
  });
});
