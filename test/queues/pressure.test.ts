import { expect } from 'chai';
import { makePressure, type Pressure } from '../../queues/transport/pressure.ts';
import { progressOf } from '../../queues/transport/progress.ts';
import type { HostBacklog } from '../../queues/transport/store.ts';

const timeoutMs = 60_000;
const secondMs = 1_000;

describe('the pressure on a queue', () => {
  let now: number;
  let depth: number;
  let oldest: number | undefined;
  let ends: number[];
  let hosts: Map<string, HostBacklog>;
  let pressure: Pressure;
  beforeEach(() => {
    now = 1_000_000;
    depth = 0;
    oldest = undefined;
    ends = [];
    hosts = new Map();
    pressure = makePressure({
      backlog: async () => ({ depth, oldest, active: 0, hosts }),
      countEnds: async since => ends.filter(at => at > since).length,
      now: () => now,
    });
  });
  afterEach(() => pressure.stop());

  const isTooHigh = (arrivedAt = now, host?: string) => pressure.isTooHigh({ timeoutMs, arrivedAt }, host);
  /** Simulates seconds with this many completed jobs in each. */
  const work = async (seconds: number, endsASecond: number) => {
    for (let second = 0; second < seconds; second += 1) {
      now += secondMs;
      for (let end = 0; end < endsASecond; end += 1) ends.push(now);
      await isTooHigh();
    }
  };

  it('is too high where the backlog would take longer than a quarter of the time at its pace, and only then', async () => {
    depth = 10;
    await work(5, 10);
    for (const [waiting, refused] of [
      [100, false],
      [140, false],
      [170, true],
      [140, false],
    ] as const) {
      depth = waiting;
      now += secondMs;
      for (let end = 0; end < 10; end += 1) ends.push(now);
      expect(await isTooHigh(), `${waiting} waiting`).to.equal(refused);
    }
  });

  it('is read again for a short time limit before a refusal, although reading takes long', async () => {
    pressure.stop();
    pressure = makePressure({
      backlog: async () => {
        now += 25;
        return { depth, oldest, active: 0, hosts };
      },
      countEnds: async () => 0,
      now: () => now,
    });
    const isTooHighFor = (limitMs: number) => pressure.isTooHigh({ timeoutMs: limitMs, arrivedAt: now });
    [depth, oldest] = [1, now - secondMs];
    expect(await isTooHighFor(400)).to.equal(true);
    [depth, oldest] = [0, undefined];
    now += 20;
    expect(await isTooHighFor(400)).to.equal(false);
  });

  it('is not too high for a rush that is answered in time, however long that takes, but for who comes later', async () => {
    const arrivedAt = now;
    oldest = now;
    depth = 1_000;
    await work(4, 40);
    depth = 840;
    expect(await isTooHigh(arrivedAt + 2 * secondMs)).to.equal(false);
    expect(await isTooHigh()).to.equal(true);
    depth = 2_000;
    now += secondMs;
    expect(await isTooHigh(arrivedAt)).to.equal(true);
  });

  it('is not told by the pace of a time in which nothing waited: few ended because few asked', async () => {
    await work(15, 1);
    depth = 300;
    expect(await isTooHigh()).to.equal(false);
    now += secondMs;
    expect(await isTooHigh()).to.equal(false);
  });

  it('is too high in any case where the oldest has waited for a quarter of its time', async () => {
    depth = 1;
    oldest = now;
    await work(15, 50);
    expect(await isTooHigh()).to.equal(false);
    await work(1, 50);
    expect(await isTooHigh()).to.equal(true);
  });

  it('is forgotten once nothing waits', async () => {
    depth = 1_000;
    await work(5, 2);
    expect(await isTooHigh()).to.equal(true);
    depth = 0;
    await work(1, 2);
    depth = 500;
    now += secondMs;
    expect(await isTooHigh()).to.equal(false);
  });

  it('is too high for the host whose own oldest has waited for a quarter of its time, and for no other', async () => {
    depth = 30;
    hosts.set('slow', { depth: 20, oldest: now - 16 * secondMs, ahead: 30 });
    hosts.set('young', { depth: 10, oldest: now - 5 * secondMs, ahead: 20 });
    await work(1, 5);
    for (const [host, refused] of [
      ['slow', true],
      ['young', false],
      ['quiet', false],
    ] as const)
      expect(await isTooHigh(now, host), host).to.equal(refused);
  });

  it('is too high for a host by what goes before its next, and not by what goes after', async () => {
    depth = 400;
    hosts.set('loud', { depth: 399, oldest: now, ahead: 400 });
    hosts.set('small', { depth: 1, oldest: now, ahead: 2 });
    await work(5, 10);
    for (const [host, refused] of [
      ['loud', true],
      ['small', false],
      ['quiet', false],
    ] as const)
      expect(await isTooHigh(now, host), host).to.equal(refused);
  });

  it('is not too high for a host by what waits in front of another that may take no more slots', async () => {
    depth = 400;
    hosts.set('loud', { depth: 399, oldest: now, ahead: 400 });
    hosts.set('small', { depth: 1, oldest: now, ahead: 399 });
    await work(5, 10);
    expect(await isTooHigh(now, 'small')).to.equal(false);
    expect(await isTooHigh(now, 'loud')).to.equal(true);
  });

  it('is too high for a host with thousands of jobs while none ends, and not while they end in time', async () => {
    depth = 2_100;
    hosts.set('loud', { depth: 2_000, oldest: now, ahead: 2_100 });
    hosts.set('small', { depth: 100, oldest: now, ahead: 200 });
    await work(1, 0);
    expect(await isTooHigh(now, 'loud'), 'in a rush').to.equal(false);
    await work(3, 0);
    expect(await isTooHigh(now, 'loud')).to.equal(true);
    expect(await isTooHigh(now, 'small')).to.equal(false);
    await work(5, 1_000);
    expect(await isTooHigh(now, 'loud')).to.equal(false);
  });

  it('is too high in a full queue for the hosts with more than their part of it, and for no other', async () => {
    depth = 10_000;
    hosts.set('most', { depth: 9_000, oldest: now, ahead: 10_000 });
    hosts.set('some', { depth: 1_000, oldest: now, ahead: 2_000 });
    await work(1, 0);
    for (const [host, refused] of [
      ['most', true],
      ['some', false],
      ['quiet', false],
    ] as const)
      expect(await isTooHigh(now, host), host).to.equal(refused);
  });
});

describe('a queue', () => {
  const now = 1_000_000;
  const isStuck = (oldest: number | undefined, endedAt: number | undefined) =>
    progressOf({ depth: 3, active: 1, oldest, hosts: new Map() }, endedAt, { now, timeoutMs }).isStuck;
  const late = now - 20 * secondMs;
  const recent = now - 10 * secondMs;

  it('is stuck where a job waits for a quarter of its time and none has ended for as long, or ever', () => {
    expect(isStuck(late, late)).to.equal(true);
    expect(isStuck(late, undefined)).to.equal(true);
  });

  it('is not stuck where jobs end, however long others wait, or where none waits for long', () => {
    expect(isStuck(late, recent)).to.equal(false);
    expect(isStuck(recent, late)).to.equal(false);
    expect(isStuck(undefined, undefined)).to.equal(false);
  });
});
