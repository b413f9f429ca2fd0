import { expect } from 'chai';
import { makeTokenBucket } from '../../platform/token-bucket.ts';
import { boundEventStreams } from '../../workers/tools/mcp/bounded-messages.ts';
import { makeParsePace } from '../../workers/tools/mcp/server-clients.ts';

const MESSAGES = 6;

describe('large messages of MCP servers', () => {
  it('are handed over one by one, with a pause as long as the work on each', async () => {
    const waitToParse = makeParsePace();
    const parsed = await Promise.all(
      Array.from({ length: MESSAGES }, async (_, at) => {
        await waitToParse(`host ${at % 2}`, 'message');
        const startedAt = performance.now();
        while (performance.now() - startedAt < 20);
        return { startedAt, endedAt: performance.now() };
      }),
    );
    const sorted = parsed.toSorted((one, other) => one.startedAt - other.startedAt);
    const pauses = sorted.slice(1).map(({ startedAt }, at) => startedAt - (sorted[at]?.endedAt ?? 0));
    expect(Math.min(...pauses), pauses.join(' ')).to.be.at.least(20);
  });

  const types = { json: 'application/json', events: 'text/event-stream' };
  for (const type of ['json', 'events'] as const)
    it(`wait for their turn, and small ones do not: ${type}`, async () => {
      const handOver: (() => void)[] = [];
      const fetch = async (url: unknown) => {
        const text = JSON.stringify({ large: 'x'.repeat(Number(String(url))) });
        const body = type === 'json' ? text : `data: ${text}\n\n`;
        return new Response(body, { headers: { 'content-type': types[type] } });
      };
      const limits = {
        budget: makeTokenBucket(1_000, 0),
        waitToParse: <T>(value: T) => new Promise<T>(resolve => void handOver.push(() => resolve(value))),
      };
      const bounded = boundEventStreams(fetch, limits);
      const read = async (size: number) => (await bounded(String(size), { method: 'POST' })).text();
      expect(await read(1_000)).to.include('xxx');
      let isRead = false;
      const large = read(100_000).then(text => {
        isRead = true;
        return text;
      });
      while (handOver.length === 0) await new Promise(setImmediate);
      await new Promise(setImmediate);
      expect(isRead).to.equal(false);
      handOver[0]?.();
      expect(await large).to.have.length.above(100_000);
    });
});
