import { expect } from 'chai';
import { makeWorkerMetrics } from '../../workers/metrics.ts';
import { TurnTime } from '../../workers/runtime/turn-time.ts';

describe('the figures of turns by host', () => {
  const ms = { ...new TurnTime(0).read(), model: 2_000 };
  const countersOf = () => {
    const { onTurn, registry } = makeWorkerMetrics('w');
    const turnsOf = async () => {
      const found = (await registry.metrics()).matchAll(/parley_host_turns_total\{host="(\w+)".*\} (\d+)/g);
      return new Map([...found].map(([, host = '', count]) => [host, Number(count)]));
    };
    const add = (hostId: string, times: number) => {
      for (let nth = 0; nth < times; nth += 1) onTurn({ hostId, status: 200, ms });
    };
    return { add, turnsOf, registry };
  };

  it('name ten hosts at most, however many there are, and lose no turn', async () => {
    const { add, turnsOf } = countersOf();
    for (let nth = 0; nth < 3_000; nth += 1) add(`h${nth}`, 1);
    const turns = await turnsOf();
    expect(turns.size).to.equal(11);
    expect([...turns.values()].reduce((sum, count) => sum + count, 0)).to.equal(3_000);
  });

  it('name a host that becomes loud, in place of the most silent one, whose series end', async () => {
    const { add, turnsOf, registry } = countersOf();
    for (let nth = 0; nth < 10; nth += 1) add(`h${nth}`, 20 + nth);
    add('alto', 50);
    const turns = await turnsOf();
    expect(turns.has('h0')).to.equal(false);
    expect(turns.get('alto')).to.equal(11);
    expect(turns.get('other')).to.equal(39);
    const text = await registry.metrics();
    expect(text).not.to.include('"h0"');
    expect(text).to.include('parley_host_turn_seconds_total{host="alto",stage="model",process="w"} 22');
  });

  it('forget who was busy long ago', async () => {
    const { add, turnsOf } = countersOf();
    for (let nth = 0; nth < 10; nth += 1) add(`h${nth}`, 300);
    for (let nth = 0; nth < 9; nth += 1) add(`h${nth}`, 1_000);
    add('novo', 40);
    const turns = await turnsOf();
    expect([turns.has('novo'), turns.has('h9')]).to.deep.equal([true, false]);
  });
});
