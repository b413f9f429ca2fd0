import { expect } from 'chai';
import { handleAll, isBrokenCircuitError } from 'cockatiel';
import { makeBreakers } from '../../workers/model/breaker.ts';

describe('a breaker', () => {
  const now = Date.now;
  afterEach(() => {
    Date.now = now;
  });

  it('keeps nobody waiting for the call that tries again, and lets all pass once that has succeeded', async () => {
    const breaker = makeBreakers(handleAll)('host');
    const fail = () => breaker.execute(() => Promise.reject(new Error('down'))).catch(() => undefined);
    for (let failures = 0; failures < 3; failures += 1) await fail();
    const skipped = () => breaker.execute(async () => 'called').catch(isBrokenCircuitError);
    expect(await skipped()).to.equal(true);
    Date.now = () => now() + 10_001;
    let end = (_answer: string) => {};
    const slow = new Promise<string>(resolve => (end = resolve));
    const again = breaker.execute(() => slow);
    expect(await Promise.all([skipped(), skipped()])).to.deep.equal([true, true]);
    end('well again');
    expect(await again).to.equal('well again');
    expect(await skipped()).to.equal('called');
  });

  it('skips the calls of its own host only', async () => {
    const paused: string[] = [];
    const breakerOf = makeBreakers(handleAll, host => paused.push(host));
    const fail = () => breakerOf('loud').execute(() => Promise.reject(new Error('down')));
    for (let failures = 0; failures < 3; failures += 1) await fail().catch(() => undefined);
    expect(await fail().catch(isBrokenCircuitError)).to.equal(true);
    expect(await breakerOf('calm').execute(async () => 'called')).to.equal('called');
    expect(paused).to.deep.equal(['loud']);
  });
});
