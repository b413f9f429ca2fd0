import { expect } from 'chai';
import type { FinishedJob } from '../../queues/transport/store.ts';
import { Waiters } from '../../queues/transport/waiters.ts';
import { eventually } from '../support/eventually.ts';

const reply = { code: 200, sealed: 'x' };
const other = { code: 503, sealed: 'y' };
const long = 60_000;

function waitersThatSee(...answers: FinishedJob[][]) {
  return new Waiters({ firstMs: 5, maxMs: 5, findFinished: async () => answers.shift() ?? [] });
}

describe('waiters', () => {
  it('take a completion event at its word when the job was made for them', async () => {
    const waiters = waitersThatSee();
    const waiter = waiters.wait('k1', true, long);
    waiters.noteEnd('k1', reply);
    expect(await waiter.ended).to.deep.equal({ kind: 'reply', reply });
  });

  it('notice a completion that comes before the add has resolved', async () => {
    const waiters = waitersThatSee();
    const waiter = waiters.wait('k1', true, long);
    waiters.noteEnd('k1', reply);
    waiter.arm();
    expect(await waiter.ended).to.deep.equal({ kind: 'reply', reply });
  });

  it('read the end that comes without its reply, also before the add has resolved', async () => {
    const waiters = waitersThatSee([{ id: 'k1', state: 'completed', reply }]);
    const waiter = waiters.wait('k1', true, long);
    waiters.noteEnd('k1', undefined);
    expect(await waiter.ended).to.deep.equal({ kind: 'reply', reply });
    expect(waiters.polledReplies).to.equal(0);
  });

  it('are not told that a job is missing that may not have been added yet', async () => {
    const waiters = waitersThatSee(
      [{ id: 'k1', state: 'missing' }],
      [{ id: 'k1', state: 'completed', reply }],
    );
    const waiter = waiters.wait('k1', true, long);
    waiters.noteEnd('k1', undefined);
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
    expect(waiters.has('k1')).to.equal(true);
    waiters.noteEnd('k1', undefined);
    expect(await waiter.ended).to.deep.equal({ kind: 'reply', reply });
  });

  it('read all jobs that end in one tick of the event loop together', async () => {
    const reads: (readonly string[])[] = [];
    const findFinished = async (ids: readonly string[]) => {
      reads.push(ids);
      return ids.map(id => ({ id, state: 'failed' }) as const);
    };
    const waiters = new Waiters({ firstMs: long, maxMs: long, findFinished });
    const all = ['k1', 'k2', 'k3'].map(id => waiters.wait(id, true, long));
    for (const { jobId } of all) waiters.noteEnd(jobId, undefined);
    for (const { ended } of all) expect(await ended).to.deep.equal({ kind: 'lost' });
    expect(reads).to.deep.equal([['k1', 'k2', 'k3']]);
  });

  it('of thousands of jobs all hear, each job read once, in batches of bounded size', async () => {
    const reads: (readonly string[])[] = [];
    const findFinished = async (ids: readonly string[]) => {
      reads.push(ids);
      return ids.map(id => ({ id, state: 'completed', reply }) as const);
    };
    const waiters = new Waiters({ firstMs: long, maxMs: long, findFinished });
    const all = Array.from({ length: 1_201 }, (_, at) => waiters.wait(`k${at}`, true, long));
    for (const waiter of all) waiter.arm();
    await waiters.pollAll();
    expect(all.filter(({ jobId }) => waiters.has(jobId))).to.deep.equal([]);
    expect(reads.flat()).to.deep.equal(all.map(({ jobId }) => jobId));
    expect(Math.max(...reads.map(ids => ids.length))).to.be.at.most(500);
  });

  it('hear of the other batches when the store fails at one', async () => {
    let isFirst = true;
    const findFinished = async (ids: readonly string[]) => {
      if (isFirst) {
        isFirst = false;
        throw new Error('down');
      }
      return ids.map(id => ({ id, state: 'completed', reply }) as const);
    };
    const waiters = new Waiters({ firstMs: long, maxMs: long, findFinished });
    const all = Array.from({ length: 1_000 }, (_, at) => waiters.wait(`k${at}`, true, long));
    for (const waiter of all) waiter.arm();
    await waiters.pollAll();
    const waiting = all.filter(({ jobId }) => waiters.has(jobId));
    expect(waiting.length).to.be.within(1, 999);
    await waiters.pollAll();
    for (const { ended } of all) expect(await ended).to.deep.equal({ kind: 'reply', reply });
  });

  it('find a reply whose event never came', async () => {
    const waiters = waitersThatSee([], [{ id: 'k1', state: 'completed', reply }]);
    const waiter = waiters.wait('k1', true, long);
    waiter.arm();
    expect(await waiter.ended).to.deep.equal({ kind: 'reply', reply });
    expect(waiters.polledReplies).to.equal(1);
  });

  it('are told that the job is missing when it is gone after the add resolved, and not before', async () => {
    const waiters = waitersThatSee([{ id: 'k1', state: 'missing' }], [{ id: 'k1', state: 'missing' }]);
    const waiter = waiters.wait('k1', true, long);
    await waiters.poll('k1');
    expect(waiters.has('k1')).to.equal(true);
    waiter.arm();
    await waiters.poll('k1');
    expect(await waiter.ended).to.deep.equal({ kind: 'missing' });
  });

  it('of a keyed job ask what it is instead of believing an event of its first run', async () => {
    const waiters = waitersThatSee([{ id: 'k1', state: 'completed', reply }]);
    const waiter = waiters.wait('k1', false, long);
    waiters.noteEnd('k1', other);
    expect(waiters.has('k1')).to.equal(true);
    waiter.arm();
    waiters.noteEnd('k1', other);
    expect(await waiter.ended).to.deep.equal({ kind: 'reply', reply });
    expect(waiters.polledReplies).to.equal(0);
  });

  it('are all looked at when ends may have been missed, however long until their next poll', async () => {
    const findFinished = async () => [{ id: 'k1', state: 'completed', reply } as const];
    const waiters = new Waiters({ firstMs: long, maxMs: long, findFinished });
    const waiter = waiters.wait('k1', true, long);
    waiter.arm();
    await waiters.pollAll();
    expect(await waiter.ended).to.deep.equal({ kind: 'reply', reply });
    expect(waiters.polledReplies).to.equal(1);
  });

  it('who were armed only after a look are not told what it saw', async () => {
    let seen = (_: FinishedJob[]) => {};
    const findFinished = () => new Promise<FinishedJob[]>(resolve => (seen = resolve));
    const waiters = new Waiters({ firstMs: long, maxMs: long, findFinished });
    const first = waiters.wait('k1', false, long);
    first.arm();
    const looking = waiters.poll('k1');
    const second = waiters.wait('k1', false, long);
    second.arm();
    seen([{ id: 'k1', state: 'completed', reply: other }]);
    await looking;
    expect(await first.ended).to.deep.equal({ kind: 'reply', reply: other });
    expect(waiters.has('k1')).to.equal(true);
    second.end({ kind: 'abandoned' });
  });

  it('all get the one reply of the job they wait for', async () => {
    const waiters = waitersThatSee();
    const both = [waiters.wait('k1', true, long), waiters.wait('k1', true, long)];
    waiters.noteEnd('k1', reply);
    for (const waiter of both) expect(await waiter.ended).to.deep.equal({ kind: 'reply', reply });
  });

  it('poll no job that is being read, however long that takes, but read it again when it ends', async () => {
    const reads: ((jobs: FinishedJob[]) => void)[] = [];
    const findFinished = () => new Promise<FinishedJob[]>(resolve => void reads.push(resolve));
    const waiters = new Waiters({ firstMs: 1, maxMs: 1, findFinished });
    const slow = waiters.wait('k1', true, long);
    slow.arm();
    const looking = waiters.poll('k1');
    // Each later waiter is polled itself.
    for (const id of ['k2', 'k3', 'k4']) {
      const before = reads.length;
      waiters.wait(id, true, long).arm();
      await eventually(
        () => reads.length,
        length => length > before,
      );
    }
    expect(reads).to.have.length(4);
    waiters.noteEnd('k1', undefined);
    await eventually(() => reads.length, 5);
    for (const see of reads) see([{ id: 'k1', state: 'completed', reply }]);
    await looking;
    expect(await slow.ended).to.deep.equal({ kind: 'reply', reply });
    waiters.endAll({ kind: 'stopping' });
  });

  it('end at their limit when a store never answers', async () => {
    const waiters = new Waiters({
      firstMs: 5,
      maxMs: 5,
      findFinished: () => Promise.reject(new Error('down')),
    });
    const waiter = waiters.wait('k1', true, 25);
    waiter.arm();
    expect(await waiter.ended).to.deep.equal({ kind: 'timeout' });
    expect(waiters.has('k1')).to.equal(false);
  });
});
