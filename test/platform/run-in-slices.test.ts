import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { runInSlices } from '../../platform/run-in-slices.ts';

/** Longer than a slice. */
const STEP_MS = 11;

describe('work that is cut in slices', () => {
  it('goes on by one slice in a turn of the event loop, however much of it there is', async () => {
    const done: number[] = [];
    function* busy(): Generator<void, void> {
      for (let step = 1; step <= 3; step += 1) {
        for (const until = performance.now() + STEP_MS; performance.now() < until; );
        done.push(step);
        yield;
      }
    }
    const all = Promise.all(Array.from({ length: 8 }, () => runInSlices(busy())));
    // They begin in this one.
    const inTurns = [done.length];
    while (done.length < 24) {
      const before = done.length;
      await nextTurn();
      inTurns.push(done.length - before);
    }
    expect(Math.max(...inTurns), inTurns.join(' ')).to.equal(1);
    expect(await all).to.have.length(8);
  });

  it('goes on with the next only after all that follows from the last', async () => {
    const order: string[] = [];
    function* keepLoop(ms: number): Generator<void, void> {
      for (const until = performance.now() + ms; performance.now() < until; );
      yield;
    }
    async function runAndAnswer(name: number): Promise<void> {
      await runInSlices(keepLoop(0));
      order.push(`opened ${name}`);
      for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
      order.push(`answered ${name}`);
    }
    const first = runInSlices(keepLoop(STEP_MS));
    await Promise.all([first, ...Array.from({ length: 9 }, (_, name) => runAndAnswer(name))]);
    expect(order).to.deep.equal(order.toSorted((a, b) => Number(a.at(-1)) - Number(b.at(-1))));
  });

  it('ends early when nobody wants it any more, and lets the others go on', async () => {
    const given = new AbortController();
    function* endless(): Generator<void, never> {
      for (;;) {
        for (const until = performance.now() + STEP_MS; performance.now() < until; );
        yield;
      }
    }
    function* short(): Generator<void, string> {
      for (const until = performance.now() + STEP_MS; performance.now() < until; );
      yield;
      return 'done';
    }
    const left = runInSlices(endless(), given.signal).catch((error: unknown) => error);
    expect(await runInSlices(short())).to.equal('done');
    given.abort(new Error('left'));
    expect(await left).to.have.property('message', 'left');
  });
});
