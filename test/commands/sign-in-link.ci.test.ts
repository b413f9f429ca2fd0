import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { runCommand, settingsOf } from '../support/run-command.ts';
import { type ApiResponse, openService } from '../support/service.ts';

describe('npm run token -- link', () => {
  const service = openService();
  const { demo } = service;

  const run = (...args: string[]) =>
    runCommand('token', ['link', ...args], { ...settingsOf(service, tmpdir()), PORT: '4321' });
  const makeLink = async (...args: string[]) => {
    const { out, err } = await run('--host', demo.slug, ...args);
    const [, address = '', link = ''] = /^(\S+)#entrar=(lnk_\w+)\n$/.exec(out) ?? [];
    expect(link, err).not.to.equal('');
    return { address, link };
  };
  const exchange = (link: string | undefined) =>
    service.call('/console/sign-in', undefined, { token: link, method: 'POST' });
  const cookieOf = (answer: ApiResponse | undefined) =>
    answer?.headers.get('set-cookie')?.split(';')[0] ?? '';
  const listBy = (cookie: string) =>
    demo.call('listAvatars', {}, { token: undefined, headers: { cookie, 'x-parley-console': '1' } });
  const list = (token: string) => demo.call('listAvatars', {}, { token });

  it('prints a link whose secret is exchanged for a session once, of however many who try at the same time', async () => {
    const { address, link } = await makeLink('--name', 'Bia', '--url', 'https://parley.example');
    expect(address).to.equal('https://parley.example/console');
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(link)));
    const [signedIn, ...refused] = answers.toSorted((a, b) => a.status - b.status);
    expect(signedIn?.body.data).to.include({ name: 'Bia' });
    expect(signedIn?.body.data.hosts[0].host_slug).to.equal(demo.slug);
    expect(refused.map(({ status }) => status)).to.deep.equal(Array(7).fill(401));
    expect((await listBy(cookieOf(signedIn))).status).to.equal(200);
    expect((await exchange(link)).status).to.equal(401);
  });

  it('leads to this machine where no address is given, and names no link in any log or table', async () => {
    const { address, link } = await makeLink();
    expect(address).to.equal('http://localhost:4321/console');
    const answer = await exchange(link);
    const stored = await service.db.raw('select tokens::text as row from tokens');
    const audited = await service.db.raw('select audit_entries::text as row from audit_entries');
    const kept = JSON.stringify([stored.rows, audited.rows, service.logged]);
    for (const secret of [link, cookieOf(answer).slice(cookieOf(answer).indexOf('ses_'))])
      expect(kept).not.to.include(secret);
  });

  it('makes links that nothing but a POST with their secret uses up', async () => {
    const { link } = await makeLink();
    for (const path of [`/console?link=${link}`, `/console/sign-in?link=${link}`]) await service.call(path);
    await service.call('/console/sign-in', undefined, { token: link });
    expect((await list(link)).status).to.equal(401);
    expect((await exchange(link)).status).to.equal(200);
  });

  it('makes a person of who administrates, who is found again by the e-mail address', async () => {
    const { db } = service;
    const admin = ['--admin', '--email', 'Bia@horizonte.example'];
    const unnamed = await run('--host', demo.slug, ...admin);
    expect(unnamed.err).to.equal('Give the --name and the --email of the person who administrates.\n');
    expect((await run('--host', demo.slug, '--admin', '--name', 'Bia')).code).to.equal(1);
    const { link } = await makeLink(...admin, '--name', 'Bia');
    const signedIn = (await exchange(link)).body.data;
    expect(signedIn).to.include({ name: 'Bia', role: 'admin' });
    expect(signedIn.hosts[0].host_slug).to.equal(demo.slug);
    const people = () => db('people').where({ host_id: demo.hostId }).select('id', 'name', 'role');
    expect(await people()).to.deep.equal([{ id: signedIn.id, name: 'Bia', role: 'admin' }]);
    await db('people').update({ role: 'agent', disabled: true });
    const again = await makeLink('--admin', '--email', 'bia@Horizonte.example');
    expect((await exchange(again.link)).body.data).to.include({ id: signedIn.id, role: 'admin' });
    expect(await people()).to.have.length(1);
    await db('people').delete();
  });

  it('makes links that end after ten minutes and with their token, which goes with the next link', async () => {
    const { db } = service;
    const [late, revoked] = [await makeLink('--name', 'late'), await makeLink('--name', 'revoked')];
    const left = await db('sign_in_links').select(
      db.raw('extract(epoch from expires_at - now()) as seconds'),
    );
    for (const { seconds } of left) expect(Number(seconds)).to.be.within(500, 600);
    await db('tokens').where({ name: 'revoked' }).update({ revoked_at: new Date() });
    await db.raw(`update sign_in_links set expires_at = now()
      where token_id = (select id from tokens where name = 'late')`);
    expect((await exchange(late.link)).status).to.equal(401);
    expect((await exchange(revoked.link)).status).to.equal(401);
    await makeLink();
    expect(await db('tokens').where({ name: 'late' })).to.deep.equal([]);
  });

  it('makes links that a disabled host does not use up', async () => {
    const { link } = await makeLink();
    const disable = (disabled: boolean) =>
      service.db('hosts').where({ id: demo.hostId }).update({ disabled });
    await disable(true);
    expect((await exchange(link)).status).to.equal(401);
    await disable(false);
    expect((await exchange(link)).status).to.equal(200);
  });

  it('refuses what is no link, and a host that there is not', async () => {
    const { body, status } = await exchange('lnk_wrong');
    expect([status, body.data.hint]).to.deep.equal([
      401,
      'The sign-in link is unknown, used or expired, or its host is disabled; or the token is not valid',
    ]);
    expect((await exchange(undefined)).status).to.equal(401);
    expect((await run('--host', 'nobody')).err).to.equal('There is no host "nobody".\n');
    expect((await run('--host', demo.slug, '--url', 'ftp://x')).code).to.equal(1);
  });

  it('opens a session that ends with what the link says, however it is used', async () => {
    const { link } = await makeLink('--name', 'short', '--expires', '1h');
    const cookie = cookieOf(await exchange(link));
    expect((await listBy(cookie)).status).to.equal(200);
    await service.db('tokens').where({ name: 'short' }).update({ expires_at: new Date() });
    expect((await listBy(cookie)).status).to.equal(401);
  });

  it('lets a session end after a working day, with the scopes of an ordinary token', async () => {
    const { link } = await makeLink('--name', 'day');
    await exchange(link);
    const token = await service.db('tokens').where({ name: 'day' }).first();
    expect((token.expires_at - Date.now()) / 3_600_000).to.be.within(11.9, 12);
    expect(token.scopes).to.deep.equal(['reason', 'manage', 'report', 'intake', 'search']);
  });
});
