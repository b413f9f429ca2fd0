import { once } from 'node:events';
import { expect } from 'chai';
import { makeBackoff, pauseAfter, repeat, startRepeating } from '../../platform/repeat.ts';

const ignore = () => {};

describe('a repeated step', () => {
  let ending: AbortController;
  let signal: AbortSignal;
  beforeEach(() => {
    ending = new AbortController();
    signal = ending.signal;
  });
  afterEach(() => ending.abort());

  const repeatUntil = (step: () => boolean | Promise<boolean>, everyMs = 1) => {
    const run = async () => (await step()) && ending.abort();
    return repeat(run, { everyMs, signal, onError: ignore });
  };
  /** Resolves when another repeated step has run this often. */
  const runs = async (count: number) => {
    const other = new AbortController();
    let left = count;
    const run = () => --left === 0 && other.abort();
    await repeat(run, { everyMs: 1, signal: other.signal, onError: ignore });
  };

  it('is never started while it runs, and starts again afterwards', async () => {
    let started = 0;
    let running = 0;
    let most = 0;
    await repeatUntil(async () => {
      started += 1;
      running += 1;
      most = Math.max(most, running);
      await runs(started === 1 ? 20 : 1);
      running -= 1;
      return started === 3;
    });
    expect([started, most]).to.deep.equal([3, 1]);
  });

  it('goes on after errors, each of which is reported with the number of failures in a row', async () => {
    const outcomes = ['throws', 'rejects', 'works', 'throws', 'ends'];
    const reported: unknown[] = [];
    const run = () => {
      const outcome = outcomes.shift();
      if (outcome === 'ends') ending.abort();
      if (outcome === 'throws') throw new Error(outcome);
      return outcome === 'rejects' ? Promise.reject(new Error(outcome)) : undefined;
    };
    const onError = (error: unknown, failures: number) => reported.push([(error as Error).message, failures]);
    await repeat(run, { everyMs: 1, signal, onError });
    expect(reported).to.deep.equal([
      ['throws', 1],
      ['rejects', 2],
      ['throws', 1],
    ]);
    expect(outcomes).to.deep.equal([]);
  });

  it('ends with the signal: a run in progress is waited for, and none follows', async () => {
    const begun = new AbortController();
    let started = 0;
    let isThrough = false;
    const ended = repeat(
      async () => {
        started += 1;
        begun.abort();
        await once(signal, 'abort');
        await runs(5);
        isThrough = true;
      },
      { everyMs: 1, signal, onError: ignore },
    );
    await once(begun.signal, 'abort');
    ending.abort();
    await ended;
    expect(isThrough).to.equal(true);
    await runs(5);
    expect(started).to.equal(1);
  });

  it('ends at once with the signal when it pauses, and never starts under an aborted one', async () => {
    const neverRuns = () => expect.fail('started');
    const pausing = repeat(neverRuns, { everyMs: 600_000, signal, onError: neverRuns });
    ending.abort();
    await pausing;
    await repeat(neverRuns, { everyMs: 1, firstAfterMs: 0, signal, onError: neverRuns });
  });

  it('does not keep the process alive', () => {
    const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
    const before = timers();
    void repeat(ignore, { everyMs: 600_000, signal, onError: ignore });
    expect(timers()).to.equal(before);
  });

  it('runs first after its first pause', async () => {
    const run = () => ending.abort();
    await repeat(run, { everyMs: 600_000, firstAfterMs: 0, signal, onError: ignore });
  });

  it('counts its interval from one start to the next', async () => {
    const { now } = performance;
    let skippedMs = 0;
    performance.now = () => now.call(performance) + skippedMs;
    try {
      const run = () => (skippedMs === 0 ? (skippedMs = 599_999) : ending.abort());
      await repeat(run, { everyMs: 600_000, firstAfterMs: 0, signal, onError: ignore });
    } finally {
      performance.now = now;
    }
  });

  it('asks for its interval after each run', async () => {
    const pauses = [0, 0, 0];
    const everyMs = () => pauses.shift() ?? 600_000;
    const run = () => pauses.length === 0 && ending.abort();
    await repeat(run, { everyMs, firstAfterMs: 0, signal, onError: ignore });
    expect(pauses).to.deep.equal([]);
  });

  it('pauses by its backoff after failures, which starts anew after a success', async () => {
    const asked: string[] = [];
    const pausesFrom = (name: string) => ({
      next() {
        asked.push(name);
        return { duration: 0, ...pausesFrom('further') };
      },
    });
    const outcomes = ['fails', 'fails', 'works', 'fails'];
    const run = () => {
      const outcome = outcomes.shift();
      if (outcome === undefined) ending.abort();
      if (outcome === 'fails') throw new Error(outcome);
    };
    await repeat(run, { everyMs: 1, backoff: pausesFrom('first'), signal, onError: ignore });
    expect(asked).to.deep.equal(['first', 'further', 'first']);
  });

  it('runs again soon where it is woken in its pause, and while it runs', async () => {
    let started = 0;
    const paused = new AbortController();
    const repeated = startRepeating(
      () => {
        started += 1;
        if (started === 1) setImmediate(() => paused.abort());
        if (started === 2) repeated.wake();
        if (started === 3) ending.abort();
      },
      { everyMs: 600_000, firstAfterMs: 0, signal, onError: ignore },
    );
    await once(paused.signal, 'abort');
    repeated.wake();
    await repeated.ended;
    expect(started).to.equal(3);
  });

  it('is not woken from the pause after a failure', async () => {
    const failed = new AbortController();
    const { wake, ended } = startRepeating(() => expect.fail(), {
      everyMs: 1,
      backoff: makeBackoff(600_000, 600_000),
      signal,
      onError: (_error, failures) => (failures === 1 ? failed.abort() : expect.fail()),
    });
    await once(failed.signal, 'abort');
    wake();
    await runs(20);
    ending.abort();
    await ended;
  });
});

describe('a backoff', () => {
  it('doubles with each failure, up to its longest pause', () => {
    const durations: number[] = [];
    for (let rest = makeBackoff(500, 5_000).next(); durations.length < 6; rest = rest.next())
      durations.push(rest.duration);
    expect(durations).to.deep.equal([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('gives the same pause for a number of failures as after that many', () => {
    const pauses = [1, 2, 3, 4, 5, 6].map(failures => pauseAfter(failures, makeBackoff(500, 5_000)));
    expect(pauses).to.deep.equal([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });
});
