import { expect } from 'chai';
import { isBrokenCircuitError } from 'cockatiel';
import { makeBreakers } from '../../workers/model/breaker.ts';

describe('a breaker', () => {
  const [wall, now] = [Date.now, performance.now];
  afterEach(() => {
    Date.now = wall;
    performance.now = now;
  });
  const passTime = () => {
    performance.now = () => now.call(performance) + 10_001;
  };

  it('keeps nobody waiting for the call that tries again, and lets all pass once that has succeeded', async () => {
    const breaker = makeBreakers(() => true)('host');
    const fail = () => breaker.execute(() => Promise.reject(new Error('down'))).catch(() => undefined);
    for (let failures = 0; failures < 3; failures += 1) await fail();
    const skipped = () => breaker.execute(async () => 'called').catch(isBrokenCircuitError);
    expect(await skipped()).to.equal(true);
    passTime();
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
    const breakerOf = makeBreakers(
      () => true,
      host => paused.push(host),
    );
    const fail = () => breakerOf('loud').execute(() => Promise.reject(new Error('down')));
    for (let failures = 0; failures < 3; failures += 1) await fail().catch(() => undefined);
    expect(await fail().catch(isBrokenCircuitError)).to.equal(true);
    expect(await breakerOf('calm').execute(async () => 'called')).to.equal('called');
    expect(paused).to.deep.equal(['loud']);
  });

  it('tries again in its time, although the clock is set back meanwhile', async () => {
    const breaker = makeBreakers(() => true)('host');
    const fail = () => breaker.execute(() => Promise.reject(new Error('down'))).catch(() => undefined);
    for (let failures = 0; failures < 3; failures += 1) await fail();
    Date.now = () => wall() - 3_600_000;
    passTime();
    expect(await breaker.execute(async () => 'called')).to.equal('called');
  });

  it('skips them again after another failure, and lets all pass after an error that is none', async () => {
    const paused: string[] = [];
    const breaker = makeBreakers(
      ({ message }) => message === 'down',
      host => paused.push(host),
    )('host');
    const end = (message: string) =>
      breaker.execute(() => Promise.reject(new Error(message))).catch((error: Error) => error.message);
    for (let failures = 0; failures < 3; failures += 1) await end('down');
    passTime();
    expect(await end('down')).to.equal('down');
    expect(paused).to.have.length(2);
    expect(await breaker.execute(async () => 'called').catch(isBrokenCircuitError)).to.equal(true);
    performance.now = () => now.call(performance) + 20_003;
    expect(await end('refused')).to.equal('refused');
    expect(await breaker.execute(async () => 'called')).to.equal('called');
  });
});
