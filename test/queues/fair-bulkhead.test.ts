import { setImmediate as yielded } from 'node:timers/promises';
import { expect } from 'chai';
import { makeFairBulkhead } from '../../queues/transport/fair-bulkhead.ts';

describe('a fair bulkhead', () => {
  it('runs so many at a time, and what waits of each host in turn, also after one that fails', async () => {
    const run = makeFairBulkhead(2);
    const begun: string[] = [];
    let running = 0;
    const work = (host: string, name: string) =>
      run(host, async () => {
        begun.push(name);
        running += 1;
        expect(running).to.be.at.most(2);
        await yielded();
        running -= 1;
        if (name === 'a2') throw new Error('failed');
      }).catch(({ message }) => message);
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'];
    const ended = await Promise.all(names.map(name => work(name.slice(0, 1), name)));
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
    expect(ended.filter(Boolean)).to.deep.equal(['failed']);
    expect(await run('a', () => 'free again')).to.equal('free again');
  });
});
