import { expect } from 'chai';
import { insertSignInLink } from '../../db/hosts/sessions.ts';
import { makeToken } from '../../db/hosts/token-text.ts';
import { insertToken } from '../../db/hosts/tokens.ts';
import { deal } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { openConnection } from '../support/raw-connection.ts';
import { openOwnService } from '../support/service.ts';
import { makeSource, sendRaw, standardHeaders, type TestSource } from '../support/signed.ts';

const opsPassword = 'the password of operators';

describe('who cannot sign', () => {
  const service = openOwnService({ opsPassword, trustProxy: true, rateLimitPerMinute: 20 });
  let source: TestSource;
  beforeEach(async () => {
    source = await makeSource(service);
  });

  const send = (path: string, address: string, headers: Record<string, string>, body = '{}') =>
    sendRaw(service, path, body, { 'x-forwarded-for': address, ...headers });
  const right = (address: string) => {
    const body = JSON.stringify(deal(1));
    return send(source.path, address, standardHeaders(body), body);
  };
  const statusesOf = async (count: number, ask: (n: number) => Promise<{ status: number }>) => {
    const answers = await Promise.all(Array.from({ length: count }, (_, n) => ask(n)));
    return (status: number) => answers.filter(answer => answer.status === status).length;
  };

  it('is slowed for this source and network only, with a 429 that says when to come again', async () => {
    for (let round = 0; round < 5; round += 1) {
      const count = await statusesOf(20, () => send(source.path, '203.0.113.7', {}));
      expect(count(401)).to.equal(20);
    }
    const slowed = await send(source.path, '203.0.113.7', {});
    expect(slowed.status).to.equal(429);
    expect(Number(slowed.headers.get('retry-after'))).to.be.within(1, 60);
    const other = await makeSource(service);
    expect((await send(source.path, '203.0.113.8', {})).status).to.equal(401);
    expect((await send(other.path, '203.0.113.7', {})).status).to.equal(401);
  });

  it('is slowed for its whole network where it tries many addresses, and never stops who can', async () => {
    for (let round = 0; round < 40; round += 1)
      await statusesOf(25, n => send(`${source.path}${round}x${n}`, '203.0.113.9', {}));
    expect((await send(source.path, '203.0.113.9', {})).status).to.equal(429);
    expect((await send(source.path, '203.0.113.10', {})).status).to.equal(401);
    expect((await right('203.0.113.9')).status).to.equal(200);
  });

  it('never stops who can, however many fail beside it for this source', async () => {
    for (let round = 0; round < 4; round += 1)
      await statusesOf(25, () => send(source.path, '203.0.113.11', {}));
    expect((await send(source.path, '203.0.113.11', {})).status).to.equal(429);
    expect((await right('203.0.113.11')).status).to.equal(200);
  });

  const beginBody = async (path: string, address: string) => {
    const connection = await openConnection(service.baseURL);
    connection.socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    );
    return connection;
  };
  /** Bodies that never end, of one network, of which so many are refused. */
  const holdBodies = async (pathOf: (n: number) => string, address: string, refused: number) => {
    const held = await Promise.all(Array.from({ length: 40 }, (_, n) => beginBody(pathOf(n), address)));
    await eventually(() => held.filter(({ read }) => read().includes(' 503 ')).length, refused);
    return () => held.forEach(({ socket }) => socket.destroy());
  };

  it('never stops who can, however many bodies never end beside it', async () => {
    const end = await holdBodies(n => `${source.path}x${n}`, '203.0.113.12', 40 - 32);
    expect((await right('203.0.113.12')).status).to.equal(200);
    end();
  });

  it('never stops who can, however many bodies for its source never end', async () => {
    const end = await holdBodies(() => source.path, '203.0.113.14', 40 - 8);
    const large = JSON.stringify({ ...deal(2), filler: 'x'.repeat(100_000) });
    const sendLarge = () => send(source.path, '203.0.113.15', standardHeaders(large), large);
    expect((await right('203.0.113.14')).status).to.equal(200);
    expect((await sendLarge()).status).to.equal(200);
    end();
  });

  it('never stops who can, however many networks send bodies that never end', async () => {
    const body = JSON.stringify({ ...deal(4), filler: 'x'.repeat(100_000) });
    const headers = { 'x-forwarded-for': '203.0.113.30', ...standardHeaders(body) };
    const begun = await openConnection(service.baseURL);
    const lines = Object.entries({ host: 'x', 'content-type': 'application/json', ...headers });
    begun.socket.write(
      `POST ${source.path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, 50_000)}`,
    );
    const networks = ['203.0.113.31', '203.0.113.32', '203.0.113.33', '203.0.113.34'];
    const ends = [];
    for (const network of networks) ends.push(await holdBodies(() => source.path, network, 40 - 8));
    const large = JSON.stringify({ ...deal(5), filler: 'x'.repeat(100_000) });
    for (let time = 0; time < 3; time += 1)
      expect((await send(source.path, '203.0.113.35', standardHeaders(large), large)).status).to.equal(200);
    begun.socket.write(body.slice(50_000));
    await eventually(
      () => begun.read(),
      said => said.includes('\r\n\r\n'),
    );
    expect(begun.read()).to.match(/^HTTP\/1\.1 200 /);
    for (const end of ends) end();
    begun.socket.destroy();
  });

  it('takes no place with bodies that come slowly where it has failed too often', async () => {
    for (let round = 0; round < 4; round += 1)
      await statusesOf(25, () => send(source.path, '203.0.113.16', {}));
    const [stranger, failed] = await Promise.all(
      ['203.0.113.17', '203.0.113.16'].map(address => beginBody(source.path, address)),
    );
    await eventually(
      () => failed?.read(),
      said => said?.includes(' 429 ') ?? false,
    );
    expect(stranger?.read()).to.equal('');
    for (const connection of [stranger, failed]) connection?.socket.destroy();
    expect((await right('203.0.113.16')).status).to.equal(200);
  });

  it('never stops a sign-in link that is right, and is slowed at wrong ones', async () => {
    const signIn = async (token: string) =>
      (await service.call('/console/sign-in', undefined, { token, method: 'POST' })).status;
    const { text: link, hash } = makeToken('lnk');
    const rights = { scopes: ['reason'] as const, expiresAt: null, hostIds: [service.demo.hostId] };
    const tokenId = await insertToken(service.db, { name: 'Bia', hash: makeToken().hash, ...rights });
    await insertSignInLink(service.db, { hash, tokenId, minutes: 10 });
    for (let time = 0; time < 100; time += 1) expect(await signIn('lnk_wrong')).to.equal(401);
    expect(await signIn('lnk_wrong')).to.equal(429);
    expect(await signIn(link)).to.equal(200);
  });

  it('costs a source nothing of its own limit, which is that of a token', async () => {
    await statusesOf(40, n => send(source.path, `203.0.113.${100 + n}`, {}));
    const body = (n: number) => JSON.stringify(deal(n));
    const count = await statusesOf(25, n =>
      send(source.path, '203.0.113.50', standardHeaders(body(n)), body(n)),
    );
    expect([count(200), count(429)]).to.deep.equal([20, 5]);
  });

  it('is counted by the reason, which only operators see', async () => {
    const authorization = `Basic ${btoa(`ops:${opsPassword}`)}`;
    const counts = async () => {
      const { body: metrics } = await service.call('/metrics', undefined, {
        token: undefined,
        headers: { authorization },
      });
      return ['unknown', 'forged', 'replayed'].map(reason => {
        const line = new RegExp(`^parley_refused_signatures_total\\{reason="${reason}".*\\} (\\d+)$`, 'm');
        return Number(line.exec(metrics)?.[1] ?? 0);
      });
    };
    const before = await counts();
    const body = JSON.stringify(deal(3));
    const headers = standardHeaders(body);
    const old = standardHeaders(body, { at: new Date(Date.now() - 600_000) });
    await send(`${source.path}x`, '203.0.113.13', headers, body);
    for (const sent of [{}, headers, headers, old]) await send(source.path, '203.0.113.13', sent, body);
    expect((await counts()).map((count, at) => count - (before[at] ?? 0))).to.deep.equal([1, 1, 2]);
    const lines = service.logged.filter(line => line.includes('"receiveSigned"')).join('');
    expect(lines).to.include(`"tokenId":"${source.id}"`).and.not.include(source.path);
  });
});
