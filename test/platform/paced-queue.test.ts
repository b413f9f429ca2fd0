import { setImmediate as yielded } from 'node:timers/promises';
import { expect } from 'chai';
import { makePacedQueue } from '../../platform/paced-queue.ts';

const here = () => false;

describe('A paced queue', () => {
  it('lets one through after the other, the keys in turn', async () => {
    const lane = makePacedQueue(2);
    const begun: string[] = [];
    let underWay = 0;
    const pass = (key: string, name: string) =>
      lane.run(
        key,
        async () => {
          begun.push(name);
          underWay += 1;
          await yielded();
          underWay -= 1;
          expect(underWay).to.equal(0);
        },
        here,
      );
    await Promise.all([
      pass('a', 'a1'),
      pass('a', 'a2'),
      pass('a', 'a3'),
      pass('b', 'b1'),
      pass('c', 'c1'),
      pass('b', 'b2'),
    ]);
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('gives the event loop to others between two that hold it, for at least twice as long', async () => {
    const lane = makePacedQueue(2);
    let turns = 0;
    const begun: { readonly turns: number; readonly at: number }[] = [];
    const over = new AbortController();
    const others = (async () => {
      while (!over.signal.aborted) {
        await yielded();
        turns += 1;
      }
    })();
    const HOLD_MS = 10;
    const hold = async () => {
      const at = performance.now();
      begun.push({ turns, at });
      while (performance.now() < at + HOLD_MS);
    };
    await Promise.all([1, 2, 3].map(() => lane.run('a', hold, here)));
    over.abort();
    await others;
    expect(begun).to.have.length(3);
    for (const [nth, later] of begun.slice(1).entries()) {
      const earlier = begun[nth] ?? later;
      // On a busy machine there may be only one turn of the event loop in a pause of any length.
      expect(later.turns - earlier.turns).to.be.at.least(1);
      expect(later.at - earlier.at).to.be.at.least(3 * HOLD_MS);
    }
  });

  it('does nothing for those who have gone, and goes on after one that fails', async () => {
    const lane = makePacedQueue(2);
    const failed = lane.run('a', async () => Promise.reject(new Error('broken')), here);
    let isRun = false;
    const gone = lane.run(
      'a',
      async () => (isRun = true),
      () => true,
    );
    const last = lane.run('a', async () => 'done', here);
    expect(await failed.catch(error => error.message)).to.equal('broken');
    expect(await gone).to.equal(undefined);
    expect(isRun).to.equal(false);
    expect(await last).to.equal('done');
  });
});
