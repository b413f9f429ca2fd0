import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { makeRateLimit } from '../../api/guards/rate-limit.ts';
import { makeUnknownCallerLimits } from '../../api/guards/unknown-caller-limits.ts';
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

describe('what callers without a token look up at once', () => {
  it('has a part for each network and a limit for all of them', async () => {
    const limits = makeUnknownCallerLimits();
    let release = () => {};
    const held = new Promise<void>(resolve => (release = resolve));
    const find = (network: number) =>
      limits
        .finding({ ip: `192.0.${network}.1` } as Ctx, () => held)
        .then(
          () => 200,
          (error: RefusalError) => error.failure.code,
        );
    const manyOf = (network: number) => Array.from({ length: 40 }, () => find(network));
    const asked = [1, 2, 3, 4, 5].map(manyOf);
    release();
    const served = (await Promise.all(asked.map(codes => Promise.all(codes)))).map(
      codes => codes.filter(code => code === 200).length,
    );
    expect(served).to.deep.equal([32, 32, 32, 32, 0]);
    expect(await find(5)).to.equal(200);
  });
});
