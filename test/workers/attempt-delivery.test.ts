import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { MAX_RECEIVED_BYTES, type SendLimits, sendEvent } from '../../workers/events/attempt-delivery.ts';
import { type Egress, openEgress } from '../../workers/tools/egress.ts';
import { makeSecret } from '../../workers/tools/webhook-secrets.ts';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { answer, startReceiver, verify } from '../support/receiver.ts';

const limits: SendLimits = { timeoutMs: 300, drainMs: 100 };

describe('sending an event', () => {
  const receiver = openOnce(startReceiver);
  const egress = openOnce(() => openEgress({ allowPrivate: true }));

  const secrets = [makeSecret()];
  const send = (
    url = receiver.url,
    options: Partial<{ egress: Egress; now: Date; stop: AbortSignal }> = {},
  ) => {
    const { now = new Date(), stop = new AbortController().signal } = options;
    return sendEvent(
      (options.egress ?? egress).files(MAX_RECEIVED_BYTES),
      { url, id: 'a', body: '{}', secrets, now },
      stop,
      limits,
    );
  };

  it('returns the status of the answer, whatever it is, and follows no redirect', async () => {
    for (const status of [200, 204, 302, 404, 410, 500]) {
      receiver.script((_received, response) => response.writeHead(status, { location: '/elsewhere' }).end());
      expect(await send()).to.deep.equal({ status });
    }
    expect(new Set(receiver.received.map(({ path }) => path))).to.deep.equal(new Set(['/']));
  });

  it('ends at the time limit where there is no answer, and leaves no connection', async () => {
    receiver.script(() => {});
    expect(await send()).to.deep.equal({ error: 'no answer within 0.3 s' });
  });

  it('has the status of an answer whose body never ends, slow or large, and leaves no connection', async () => {
    const large = Buffer.alloc(1_048_576);
    for (const write of [
      (response: ServerResponse) => void response.write('a'),
      function more(response: ServerResponse): void {
        while (response.writable && response.write(large));
        if (response.writable) response.once('drain', () => more(response));
      },
    ]) {
      receiver.script((_received, response) => write(response.writeHead(200)));
      expect(await send()).to.deep.equal({ status: 200 });
    }
    await eventually(() => receiver.open.now, 0);
  });

  it('says no more than that an address is not allowed, cannot be resolved or does not answer', async () => {
    const closed = openEgress({ allowPrivate: false });
    expect(await send(receiver.url, { egress: closed })).to.deep.equal({
      error: 'the address is not allowed',
    });
    const resolved = openEgress({ allowPrivate: false, resolve: async () => ['10.0.0.1'] });
    expect(await send('http://crm.example/', { egress: resolved })).to.deep.equal({
      error: 'the address is not allowed',
    });
    await Promise.all([closed.close(), resolved.close()]);
    const nowhere = await send('http://nowhere.invalid/');
    expect('error' in nowhere && nowhere.error).to.match(/^no connection/);
    const refused = await send('http://127.0.0.1:1/');
    expect('error' in refused && refused.error).to.match(/^no connection/);
  });

  it('signs with the clock that it is given, so that a wrong clock of this machine does not matter', async () => {
    receiver.script(answer(200));
    await send(receiver.url, { now: new Date(Date.now() - 60_000) });
    const last = receiver.received.at(-1);
    if (!last) throw new Error('nothing was received');
    verify(secrets[0] ?? '', last);
    await send(receiver.url, { now: new Date(Date.now() - 600_000) });
    expect(() => verify(secrets[0] ?? '', receiver.received.at(-1) ?? last)).to.throw('too old');
  });

  it('rejects when the worker is stopping, so that the attempt does not count', async () => {
    receiver.script(() => {});
    const stop = new AbortController();
    const sent = send(receiver.url, { stop: stop.signal });
    stop.abort();
    expect(await sent.catch((error: Error) => error.name)).to.equal('AbortError');
  });
});
