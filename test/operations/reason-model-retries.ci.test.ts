import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { type ModelScript, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';

const requestTimeoutMs = 6_000;

const cutShort = (response: ServerResponse, headers: Record<string, string | number>, text: string) => {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.write(text, () => response.socket?.resetAndDestroy());
};

describe('a model that fails for a moment', () => {
  const service = openService({ requestTimeoutMs });
  const { model } = service;
  beforeEach(() => void model.requests.splice(0));

  const ask = async () => {
    const startedAt = performance.now();
    const { status, body } = await service.ask('E agora?');
    return { status, body, tookMs: performance.now() - startedAt, calls: model.requests.length };
  };

  const cuts: Record<string, [Record<string, string | number>, string]> = {
    'behind the headers': [{ 'content-length': 1_000 }, ' '],
    'in the middle of its answer': [{ 'content-length': 1_000 }, '{"choices":[{"mess'],
    'in the middle of chunks': [{ 'transfer-encoding': 'chunked' }, '{"choi'],
    'in the middle of what it compressed': [{ 'content-encoding': 'gzip', 'content-length': 90 }, '\u001f'],
  };
  for (const [where, [headers, text]] of Object.entries(cuts))
    it(`because its connection is reset ${where} is asked again`, async () => {
      let calls = 0;
      model.script((request, response) => {
        calls += 1;
        return calls === 1 ? cutShort(response, headers, text) : say('Enfim.')(request, response);
      });
      const { status, body } = await ask();
      expect(status).to.equal(200);
      const told = body.data.restStatus.map(({ error }: { error?: string }) => error);
      expect(told).to.deep.equal(['unusable answer: cut short', undefined]);
    });

  const forms: Record<string, (now: number) => Record<string, string>> = {
    'in seconds': () => ({ 'retry-after': '1' }),
    'in milliseconds': () => ({ 'retry-after-ms': '1000', 'retry-after': '600' }),
    'by a date': now => ({ 'retry-after': new Date(now + 1_999).toUTCString() }),
  };
  for (const [form, headersAt] of Object.entries(forms))
    it(`and says ${form} when to come back is left alone until then, and answers`, async () => {
      model.script(limited(900, headersAt));
      const { status, tookMs, calls } = await ask();
      expect([status, calls]).to.deep.equal([200, 2]);
      expect(tookMs).to.be.above(850);
    });

  it('again and again, and says when to come back, is asked as long as there is time', async () => {
    const refuse = limited(60_000, () => ({ 'retry-after-ms': '300' }));
    model.script((request, response) =>
      (model.requests.length > 4 ? say('Agora sim.') : refuse)(request, response),
    );
    const { status, calls } = await ask();
    expect([status, calls]).to.deep.equal([200, 5]);
  });

  it('for longer than the turn has is not waited for: the turn is refused at once', async () => {
    model.script(limited(60_000, () => ({ 'retry-after': '30' })));
    const { status, calls } = await ask();
    // One that waits has 408.
    expect([status, calls]).to.deep.equal([503, 1]);
  });
});

/** Refuses with these headers for a while, like a provider at its rate limit. */
function limited(forMs: number, headersAt: (now: number) => Record<string, string>): ModelScript {
  let first: number | undefined;
  return (request, response) => {
    first ??= performance.now();
    if (performance.now() - first >= forMs) return say('Agora sim.')(request, response);
    const headers = { 'content-type': 'application/json', ...headersAt(Date.now()) };
    response.writeHead(429, headers).end('{}');
  };
}
