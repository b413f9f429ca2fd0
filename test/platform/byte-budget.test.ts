import { expect } from 'chai';
import { ByteBudget } from '../../platform/byte-budget.ts';

describe('a budget of bytes', () => {
  const never = new AbortController().signal;
  const makeBudget = () => new ByteBudget({ max: 100, maxPerKey: 40, sure: 5 });

  it('gives a key its part, all keys no more than there is, and none less than is sure', () => {
    const budget = makeBudget();
    expect(budget.take('a', 40)).not.to.equal(undefined);
    expect(budget.take('a', 1)).to.equal(undefined);
    expect(budget.take('b', 41)).to.equal(undefined);
    expect(budget.take('b', 40)).not.to.equal(undefined);
    expect(budget.take('c', 21)).to.equal(undefined);
    expect(budget.take('c', 20)).not.to.equal(undefined);
    expect(budget.take('d', 6)).to.equal(undefined);
    expect(budget.take('d', 5)).not.to.equal(undefined);
    expect(budget.take('d', 1)).to.equal(undefined);
  });

  it('has all again when all is released, also twice, and counts what turned out to be more', () => {
    const budget = makeBudget();
    const held = budget.take('a', 10);
    held?.change(60);
    expect([budget.total, budget.take('a', 1)]).to.deep.equal([60, undefined]);
    held?.change(30);
    expect(budget.take('a', 10)?.release()).to.equal(undefined);
    held?.release();
    held?.release();
    held?.change(99);
    expect(budget.total).to.equal(0);
  });

  it('lets those that wait begin once as room comes, the key that holds least first', async () => {
    const budget = makeBudget();
    const held = [budget.take('a', 20), budget.take('b', 20), budget.take('c', 40)];
    const first = budget.take('e', 20);
    const begun: string[] = [];
    const wait = async (key: string, bytes: number) => {
      held.push(await budget.wait(key, bytes, never));
      begun.push(key);
    };
    const waits = [wait('a', 20), wait('c', 1), wait('d', 20)];
    first?.release();
    await Promise.race(waits);
    expect(begun).to.deep.equal(['d']);
    held[2]?.release();
    await Promise.all(waits);
    expect(begun).to.deep.equal(['d', 'c', 'a']);
    expect(budget.total).to.equal(81);
    for (const each of held) each?.release();
    expect(budget.total).to.equal(0);
  });

  it('gives nothing to who went away while waiting', async () => {
    const budget = makeBudget();
    const held = budget.take('a', 40);
    const gone = new AbortController();
    const waiting = budget.wait('a', 1, gone.signal);
    gone.abort();
    expect(await waiting).to.equal(undefined);
    expect(await budget.wait('b', 1, gone.signal)).to.equal(undefined);
    held?.release();
    expect(budget.total).to.equal(0);
  });
});
