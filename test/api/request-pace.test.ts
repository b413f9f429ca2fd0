import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { makeRequestPace } from '../../api/guards/rate-limit.ts';

describe('the pace of requests', () => {
  const send = (pace: ReturnType<typeof makeRequestPace>, begun: string[], token: string, name: string) =>
    pace({ state: { token: { id: token } } } as Ctx, async () => void begun.push(name));

  it('lets requests that arrive together begin round-robin over the tokens', async () => {
    const pace = makeRequestPace();
    const begun: string[] = [];
    const loud = Array.from({ length: 100 }, (_, at) => send(pace, begun, 'loud', `loud ${at}`));
    const calm = [1, 2].map(at => send(pace, begun, 'calm', `calm ${at}`));
    await Promise.all([...loud, ...calm]);
    expect(begun).to.have.length(102);
    expect(begun.indexOf('calm 1')).to.be.below(16);
    expect(begun.indexOf('calm 2')).to.be.below(16);
    expect(begun.filter(name => name.startsWith('loud'))).to.deep.equal(loud.map((_, at) => `loud ${at}`));
  });

  it('gives the event loop to others between them', async () => {
    const pace = makeRequestPace();
    const begun: string[] = [];
    const seen: number[] = [];
    const look = () => {
      seen.push(begun.length);
      if (begun.length < 100) setImmediate(look);
    };
    setImmediate(look);
    await Promise.all(Array.from({ length: 100 }, (_, at) => send(pace, begun, 'loud', `loud ${at}`)));
    expect(seen.length).to.be.above(10);
  });

  it('keeps a single request waiting for nothing', async () => {
    const pace = makeRequestPace();
    const begun: string[] = [];
    const first = send(pace, begun, 'calm', 'calm');
    expect(begun).to.deep.equal(['calm']);
    await first;
  });
});
