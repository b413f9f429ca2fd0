import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { makeRateLimit } from '../../api/guards/rate-limit.ts';
import { RefusalError } from '../../api/replies/envelope.ts';

describe('the limit of requests a minute', () => {
  const send = (limit: ReturnType<typeof makeRateLimit>, token: string, set = (..._header: string[]) => {}) =>
    limit({ state: { token: { id: token } }, set } as unknown as Ctx, async () => {}).then(
      () => 200,
      (error: RefusalError) => error.failure.code,
    );

  it('counts each token for itself: one that has used its own up takes nothing from another', async () => {
    const limit = makeRateLimit(2);
    const loud = [await send(limit, 'loud'), await send(limit, 'loud'), await send(limit, 'loud')];
    expect(loud).to.deep.equal([200, 200, 429]);
    expect([await send(limit, 'calm'), await send(limit, 'calm')]).to.deep.equal([200, 200]);
  });

  it('says when the next minute begins, which is within one also where the clock was set back', async () => {
    const limit = makeRateLimit(1);
    await send(limit, 'loud');
    const { now } = Date;
    for (const setBack of [0, 3_600_000]) {
      const headers: string[][] = [];
      Date.now = () => now() - setBack;
      await send(limit, 'loud', (...header) => void headers.push(header)).finally(() => (Date.now = now));
      expect(headers).to.have.nested.property('[0][0]', 'Retry-After');
      expect(Number(headers[0]?.[1])).to.be.within(1, 60);
    }
  });

  it('is none where it is 0', async () => {
    const limit = makeRateLimit(0);
    const codes = await Promise.all(Array.from({ length: 100 }, () => send(limit, 'loud')));
    expect(codes).to.deep.equal(Array(100).fill(200));
  });
});
