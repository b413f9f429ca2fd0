import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { batchCalls, upTo } from '../../platform/batch.ts';

describe('calls that are batched', () => {
  let made: number[][];
  let fail: Error | undefined;
  let call: (length: number) => Promise<number>;
  beforeEach(() => {
    made = [];
    fail = undefined;
    call = batchCalls({
      startBatch: upTo<number>(64, length => length, 500_000),
      async makeCalls(calls) {
        made.push([...calls]);
        if (fail) throw fail;
        return calls.map(length => -length);
      },
    });
  });

  it('are made together if they are of one tick of the event loop, and each gets its own result', async () => {
    expect(await Promise.all([call(1), call(2)])).to.deep.equal([-1, -2]);
    expect(await call(3)).to.equal(-3);
    expect(made).to.deep.equal([[1, 2], [3]]);
  });

  it('are made in parts, in their order, if they are many', async () => {
    const many = Array.from({ length: 150 }, (_, at) => at);
    expect(await Promise.all(many.map(call))).to.deep.equal(many.map(at => -at));
    expect(made.map(({ length }) => length)).to.deep.equal([64, 64, 22]);
    expect(made.flat()).to.deep.equal(many);
  });

  it('are made in parts if they are long, so that a short one need not wait for many long ones', async () => {
    await Promise.all([1, 400_000, 400_000, 2, 900_000, 3].map(call));
    expect(made).to.deep.equal([[1, 400_000], [400_000, 2], [900_000], [3]]);
  });

  it('all fail if what they were made with fails, but not those of the next turn', async () => {
    fail = new Error('full');
    const refused = await Promise.allSettled([call(1), call(2)]);
    expect(refused.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fail = undefined;
    await nextTurn();
    expect(await call(3)).to.equal(-3);
  });

  it('are made again, each alone, if what they were made with fails and that may be because of one of them', async () => {
    const refuseOdd = batchCalls<number, number>({
      startBatch: upTo(64),
      makeCalls: async calls => {
        made.push([...calls]);
        if (calls.some(length => length % 2 === 1)) throw new Error('odd');
        return calls;
      },
      mayCallAlone: () => true,
    });
    const settled = await Promise.allSettled([2, 3, 4].map(refuseOdd));
    expect(settled.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(made).to.deep.equal([[2, 3, 4], [2], [3], [4]]);
  });

  it('wait for no batch of another key, and for as many of their own as may run', async () => {
    const [entered, leave] = [[] as string[][], [] as (() => void)[]];
    const callSlowly = batchCalls({
      startBatch: upTo<string>(2),
      keyOf: name => name.charAt(0),
      async makeCalls(calls) {
        entered.push([...calls]);
        await new Promise<void>(resolve => leave.push(resolve));
        return calls;
      },
    });
    const first = callSlowly('a1');
    await nextTurn();
    const rest = Promise.all(['a2', 'b1', 'a3', 'a4'].map(callSlowly));
    await nextTurn();
    await nextTurn();
    expect(entered).to.deep.equal([['a1'], ['b1']]);
    for (let at = 0; at < leave.length; at += 1) {
      leave[at]?.();
      await nextTurn();
    }
    expect(await first).to.equal('a1');
    expect(await rest).to.deep.equal(['a2', 'b1', 'a3', 'a4']);
    expect(entered.slice(2)).to.deep.equal([['a2', 'a3'], ['a4']]);
  });
});
