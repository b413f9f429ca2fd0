import { expect } from 'chai';
import { openOwnService } from '../support/service.ts';

const opsPassword = 'the password of operators';
const testEndpointToken = 'the token of the test endpoint';

describe('guesses at a secret of the installation', () => {
  const tests = { enableTestEndpoint: true, testEndpointToken };
  const service = openOwnService({ opsPassword, ...tests, trustProxy: true, workers: false });
  let last = 0;

  /** One from which nobody has guessed yet. */
  const newAddress = () => `203.0.113.${(last += 1)}`;

  const from = (address: string) => ({ 'x-forwarded-for': address });
  const basic = (password: string) => ({ authorization: `Basic ${btoa(`ops:${password}`)}` });
  const get = (path: string, headers: Record<string, string>) =>
    service.call(path, undefined, { token: undefined, headers });
  const metrics = (address: string, password: string) =>
    get('/metrics', { ...from(address), ...basic(password) });
  const board = (address: string, password: string) =>
    get('/admin/queues/api/queues', { ...from(address), ...basic(password) });
  /** With a valid token, `watch` is refused with 400. */
  const testRun = (address: string, token: string) =>
    service.call('/api/tests/run', { watch: true }, { headers: { ...from(address), 'x-test-token': token } });
  const places: Record<string, { right: string; ok: number; ask: typeof metrics }> = {
    'the metrics': { right: opsPassword, ok: 200, ask: metrics },
    'the queue board': { right: opsPassword, ok: 200, ask: board },
    'the test endpoint': { right: testEndpointToken, ok: 400, ask: testRun },
  };
  const guessAway = (ask: typeof metrics, addresses: readonly string[]) =>
    Promise.all(addresses.map((address, at) => ask(address, `guess ${at}`)));

  for (const [place, { right, ok, ask }] of Object.entries(places)) {
    it(`are slowed at ${place}, also many at once, and only for the address that they come from`, async () => {
      const address = newAddress();
      const answers = await guessAway(ask, Array<string>(40).fill(address));
      const statuses = answers.map(({ status }) => status);
      expect(statuses).to.have.members([...Array(10).fill(401), ...Array(30).fill(429)]);
      const full = await ask(address, right);
      expect(full.status).to.equal(429);
      expect(Number(full.headers.get('retry-after'))).to.be.within(1, 60);
      expect(full.body.data).to.have.all.keys('requestId', 'reason');
      expect((await ask(newAddress(), right)).status).to.equal(ok);
    });

    it(`are none at ${place} where the secret is right, or nothing is shown`, async () => {
      const address = newAddress();
      const path = place === 'the metrics' ? '/metrics' : '/admin/queues';
      // More than may be guessed.
      for (let time = 0; time < 12; time += 1) expect((await ask(address, right)).status).to.equal(ok);
      for (let time = 0; time < 12; time += 1) {
        const headers = from(address);
        const silent = ask === testRun ? service.call('/api/tests/run', {}, { headers }) : get(path, headers);
        expect((await silent).status).to.equal(401);
      }
      expect((await ask(address, right)).status).to.equal(ok);
    });
  }

  it('share the tries of the board and the metrics, whose password is one', async () => {
    const address = newAddress();
    await guessAway(board, Array<string>(10).fill(address));
    expect((await metrics(address, opsPassword)).status).to.equal(429);
  });

  it('gain nothing by a forged address before the proxy’s own, nor by the many addresses of one network', async () => {
    const address = newAddress();
    const forged = Array.from({ length: 12 }, (_, at) => `198.51.100.${at}, ${address}`);
    await guessAway(metrics, forged);
    expect((await metrics(`198.51.100.99, ${address}`, opsPassword)).status).to.equal(429);
    const network = Array.from({ length: 12 }, (_, at) => `2001:db8:0:1::${at + 1}`);
    await guessAway(metrics, network);
    expect((await metrics('2001:db8:0:1:ffff::1', opsPassword)).status).to.equal(429);
    expect((await metrics('2001:db8:0:2::1', opsPassword)).status).to.equal(200);
    await guessAway(metrics, Array<string>(12).fill('::ffff:192.0.2.1'));
    expect((await metrics('192.0.2.1', opsPassword)).status).to.equal(429);
    expect((await metrics('192.0.2.2', opsPassword)).status).to.equal(200);
  });
});

describe('guesses where no proxy is trusted', () => {
  const service = openOwnService({ opsPassword, workers: false });

  it('are those of the connection’s address, whatever a header says', async () => {
    const ask = (at: number, password: string) => {
      const authorization = `Basic ${btoa(`ops:${password}`)}`;
      const headers = { authorization, 'x-forwarded-for': `203.0.113.${at}` };
      return service.call('/metrics', undefined, { token: undefined, headers });
    };
    for (let at = 0; at < 10; at += 1) expect((await ask(at, 'wrong')).status).to.equal(401);
    expect((await ask(99, opsPassword)).status).to.equal(429);
  });
});
