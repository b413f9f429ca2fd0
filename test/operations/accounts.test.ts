import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { browseWithAccount, startAccounts } from '../support/accounts.ts';
import { expectWrong } from '../support/contract.ts';
import { withHeldLock } from '../support/held-commit.ts';
import { openOnce } from '../support/opened.ts';
import type { Fields } from '../support/operation-calls.ts';
import { borrowService, startApiBeside } from '../support/service.ts';

describe('signing in with an account of the institution', () => {
  const accounts = openOnce(startAccounts);
  const service = openOnce(() => borrowService(accounts.settings));
  const { demo, acme, db } = service;
  afterEach(() => db('people').delete());

  const save = (email: string, more: Fields = {}, host = demo) =>
    host.call('savePerson', { name: 'Bia', email, role: 'agent', ...more });
  const add = async (...person: Parameters<typeof save>): Promise<string> =>
    (await save(...person)).body.data.personId;
  const browse = (email: string, onBack?: Parameters<typeof browseWithAccount>[1]['onBack']) =>
    browseWithAccount(service.baseURL, { email, ...(onBack ? { onBack } : {}) });
  const linksOf = (hash: string) => hash.replace('#entrar=', '').split(',');
  const exchange = (link: string | undefined) =>
    service.call('/console/sign-in', undefined, { token: link, method: 'POST' });
  const locationOf = async (address: string) =>
    (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? '';
  const openLinks = async () => db('people').whereNotNull('link_hash').pluck('email');

  it('is offered where a provider is set, and nowhere else', async () => {
    const offer = await service.call('/console/sign-in', undefined, { token: undefined });
    expect(offer.body.data).to.deep.equal({ account: true });
    const without = await startApiBeside(service, {
      oidcIssuer: undefined,
      oidcClientId: undefined,
      oidcClientSecret: undefined,
    });
    expect((await without.call('/console/sign-in')).body.data).to.deep.equal({ account: false });
    expect((await without.call('/console/oidc')).status).to.equal(404);
    await without.close();
  });

  it('is refused for a while after a hundred answers that no provider gave', async () => {
    const beside = await startApiBeside(service, {});
    const forge = () =>
      fetch(`${beside.baseURL}/console/oidc/callback?code=x&state=y`, { redirect: 'manual' });
    const statuses: number[] = [];
    for (let count = 0; count < 101; count += 1) statuses.push((await forge()).status);
    expect([new Set(statuses.slice(0, 100)), statuses.at(-1)]).to.deep.equal([new Set([302]), 429]);
    await beside.close();
  });

  it('signs in the person of a verified e-mail address, in whatever case, once', async () => {
    const personId = await add('Bia@horizonte.example');
    const { hash, visited } = await browse('bia@Horizonte.example');
    const [link, ...others] = linksOf(hash);
    expect([link?.slice(0, 4), others]).to.deep.equal(['lnk_', []]);
    const asked = visited.find(({ pathname }) => pathname === '/auth')?.searchParams;
    expect(Object.fromEntries(asked ?? [])).to.include({
      code_challenge_method: 'S256',
      redirect_uri: `${service.baseURL}/console/oidc/callback`,
    });
    expect((await exchange(link)).body.data).to.include({ id: personId, role: 'agent' });
    expect((await exchange(link)).status).to.equal(401);
    const kept = await db.raw(
      'select people::text as row from people union all select audit_entries::text from audit_entries',
    );
    expect(JSON.stringify([kept.rows, service.logged])).not.to.include(link);
  });

  it('reads the address from the token, too', async () => {
    const others = await startAccounts({ isEmailInToken: true });
    const beside = await startApiBeside(service, others.settings);
    await add('bia@horizonte.example');
    const { hash } = await browseWithAccount(beside.baseURL, { email: 'bia@horizonte.example' });
    expect(hash).to.match(/^#entrar=lnk_\w+$/);
    await beside.close();
    await others.kill();
  });

  it('gives a person of several hosts a link for each, of the one used last first', async () => {
    const email = 'bia@horizonte.example';
    const [inDemo, inAcme] = [await add(email), await add(email, { role: 'admin' }, acme)];
    const see = (id: string, last_seen_at: Date) => db('people').where({ id }).update({ last_seen_at });
    for (const [last, other] of [[inDemo, inAcme] as const, [inAcme, inDemo] as const]) {
      await see(other, new Date(0));
      await see(last, new Date());
      const links = linksOf((await browse(email)).hash);
      const signedIn = [await exchange(links[0]), await exchange(links[1])];
      expect(signedIn.map(({ body }) => body.data.id)).to.deep.equal([last, other]);
    }
  });

  it('creates nobody, and signs in nobody who is unknown, disabled, of a disabled host, or not verified', async () => {
    const [email, unverified] = ['bia@horizonte.example', 'unverified@horizonte.example'];
    expect((await browse(email)).hash).to.equal('#conta=desconhecida');
    expect(await db('people')).to.deep.equal([]);
    const id = await add(email, { disabled: true });
    await add(unverified);
    expect((await browse(email)).hash).to.equal('#conta=desconhecida');
    expect((await browse(unverified)).hash).to.equal('#conta=sem-email');
    await db('people').where({ id }).update({ disabled: false });
    const hosts = db('hosts').where({ id: demo.hostId });
    await hosts.clone().update({ disabled: true });
    expect((await browse(email)).hash).to.equal('#conta=desconhecida');
    await hosts.clone().update({ disabled: false });
    // Its first letter is the Kelvin sign, which becomes a k in lower case.
    await add('kai@horizonte.example');
    expect((await browse('\u212Aai@horizonte.example')).hash).to.equal('#conta=sem-email');
    // Nor does the address of one sign in a person whose address was stored with it.
    const kelvin = '\u212Aai@horizonte.example';
    expectWrong(await save(kelvin), 'email');
    await db('people').where({ email: 'kai@horizonte.example' }).update({ email: kelvin });
    expect((await browse('kai@horizonte.example')).hash).to.equal('#conta=desconhecida');
    expect(await openLinks()).to.deep.equal([]);
  });

  it('refuses an answer of another state, nonce, verifier or audience, and one without a cookie, or twice', async () => {
    const email = 'bia@horizonte.example';
    await add(email);
    await add('audience@horizonte.example');
    const change = (place: number) => (_: URL, cookies: Map<string, string>) => {
      const parts = (cookies.get('parley_oidc') ?? '').split('.');
      expect(parts).to.have.length(3);
      parts[place] = randomUUID() + randomUUID();
      cookies.set('parley_oidc', parts.join('.'));
    };
    let back = '';
    const wrong = {
      'state of the address': (address: URL) => address.searchParams.set('state', randomUUID()),
      'state of the cookie': change(0),
      nonce: change(1),
      verifier: change(2),
      'issuer of the answer': (address: URL) => address.searchParams.set('iss', 'https://evil.example'),
      code: (address: URL) => address.searchParams.set('code', randomUUID()),
      'no cookie': (address: URL, cookies: Map<string, string>) => {
        back = address.href;
        cookies.delete('parley_oidc');
      },
    };
    for (const [what, onBack] of Object.entries(wrong))
      expect((await browse(email, onBack)).hash, what).to.equal('#conta=recusada');
    expect((await browse('audience@horizonte.example')).hash).to.equal('#conta=recusada');
    expect(await locationOf(back)).to.equal('/console#conta=recusada');
    expect(await openLinks()).to.deep.equal([]);
    const reasons = service.logged.filter(line => line.includes('oidc.refused')).join('\n');
    for (const reason of ['state', 'nonce', 'aud']) expect(reasons).to.include(reason);
    expect((await browse(email)).hash).to.match(/^#entrar=/);
  });

  it('asks for the account again with a prompt that the provider lists, and with none where it lists none', async () => {
    const promptOf = async (baseURL: string) =>
      new URL(await locationOf(`${baseURL}/console/oidc`)).searchParams.get('prompt');
    expect(await promptOf(service.baseURL)).to.equal(null);
    const listing = await startAccounts({ prompts: ['none', 'login', 'consent'] });
    const beside = await startApiBeside(service, listing.settings);
    expect(await promptOf(beside.baseURL)).to.equal('login');
    await beside.close();
    await listing.kill();
  });

  it('logs in English why nobody was signed in, with what the provider says, in few words', async () => {
    service.logged.splice(0);
    await browse('nobody@horizonte.example');
    await browse('nobody@horizonte.example', address => {
      address.searchParams.delete('code');
      address.searchParams.set('error', 'invalid_request');
      const description = `unsupported prompt\r\n\u2028requested ${'x'.repeat(9_000)}`;
      address.searchParams.set('error_description', description);
    });
    const [unknown, refused] = service.logged.flatMap(line =>
      line.includes('oidc.refused') ? [JSON.parse(line)] : [],
    );
    expect(unknown.reason).to.equal('nobody who may sign in has this e-mail address');
    expect(unknown).to.not.have.property('why');
    expect(refused).to.include({ providerError: 'invalid_request' });
    expect(refused.providerDescription)
      .to.match(/^unsupported prompt requested x{100,}$/)
      .and.have.length(200);
  });

  it('lets in a hundred people of one network who come at once', async () => {
    const people = Array.from({ length: 100 }, (_, at) => `p${at}@horizonte.example`);
    const row = { host_id: demo.hostId, name: 'Bia', role: 'agent' };
    await db('people').insert(people.map(email => ({ ...row, id: randomUUID(), email })));
    const hashes = await Promise.all(people.map(async email => (await browse(email)).hash));
    expect(hashes.filter(hash => !/^#entrar=lnk_\w+$/.test(hash))).to.deep.equal([]);
  });

  it('tells who cannot enter now to come again, on a page and not as JSON', async () => {
    const beside = await startApiBeside(service, accounts.settings);
    const junk = async () => {
      const address = `${beside.baseURL}/console/oidc/callback?code=x&state=s&iss=${accounts.settings.oidcIssuer}`;
      return fetch(address, { redirect: 'manual', headers: { cookie: 'parley_oidc=s.n.v' } });
    };
    const answers = await Promise.all(Array.from({ length: 110 }, junk));
    const full = answers.filter(({ status }) => status === 429);
    expect(full).to.have.length(10);
    expect(full[0]?.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(Number(full[0]?.headers.get('retry-after'))).to.be.within(1, 60);
    expect(await full[0]?.text()).to.include('Espere um pouco');
    // Others’ failures keep out nobody who has an account, and nor does an outage for longer than it lasts.
    await add('bia@horizonte.example');
    await withHeldLock(db, 'lock table people in access exclusive mode', async () => {
      const enter = browseWithAccount(beside.baseURL, { email: 'bia@horizonte.example' });
      const told = await enter.catch((error: Error) => error.message);
      expect(told).to.match(/^\/console\/oidc\/callback 503: <!doctype html>[^]*Espere um pouco/);
    });
    const { hash } = await browseWithAccount(beside.baseURL, { email: 'bia@horizonte.example' });
    expect(hash).to.match(/^#entrar=lnk_\w+$/);
    await beside.close();
  });

  it('reads no more than 1 MiB of what the provider answers', async () => {
    let sent = 0;
    const endless = createServer(socket => {
      socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, ' '))) sent += 65_536;
        sent += 65_536;
      };
      socket.on('drain', more);
      more();
    }).listen(0, '127.0.0.1');
    await once(endless, 'listening');
    const { port } = endless.address() as AddressInfo;
    const oidcIssuer = `http://127.0.0.1:${port}`;
    const beside = await startApiBeside(service, { ...accounts.settings, oidcIssuer });
    expect(await locationOf(`${beside.baseURL}/console/oidc`)).to.equal('/console#conta=fora');
    expect(service.logged.join('\n')).to.include('more than 1 MiB');
    // The buffers of the kernel for a connection come on top.
    expect(sent).to.be.below(16 * 1_048_576);
    await beside.close();
    endless.close();
  });

  it('says that the person has changed their mind', async () => {
    const onBack = (address: URL) => {
      address.searchParams.delete('code');
      address.searchParams.set('error', 'access_denied');
    };
    expect((await browse('bia@horizonte.example', onBack)).hash).to.equal('#conta=cancelada');
  });

  it('takes a clock that is two minutes off, and none that is ten', async () => {
    await add('bia@horizonte.example');
    for (const [minutes, wanted] of [
      [-2, /^#entrar=lnk_\w+$/],
      [2, /^#entrar=lnk_\w+$/],
      [-10, /^#conta=recusada$/],
    ] as const) {
      const off = await startAccounts({ clockOffsetMs: minutes * 60_000 });
      const beside = await startApiBeside(service, off.settings);
      const { hash } = await browseWithAccount(beside.baseURL, { email: 'bia@horizonte.example' });
      expect(hash, `${minutes} min`).to.match(wanted);
      await beside.close();
      await off.kill();
    }
  });

  it('says within its time limit that the provider is away, or silent, while links go on working', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const gone = await startAccounts();
    await gone.kill();
    for (const settings of [gone.settings, { ...gone.settings, oidcIssuer: `http://127.0.0.1:${port}` }]) {
      const beside = await startApiBeside(service, settings);
      expect(await locationOf(`${beside.baseURL}/console/oidc`)).to.equal('/console#conta=fora');
      const personId = await add(`${randomUUID()}@horizonte.example`);
      const { link } = (await demo.call('invitePerson', { personId })).body.data;
      const options = { token: link.split('#entrar=')[1], method: 'POST' };
      expect((await beside.call('/console/sign-in', undefined, options)).status).to.equal(200);
      await beside.close();
    }
    silent.close();
  });
});
