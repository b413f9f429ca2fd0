import { setImmediate as yielded } from 'node:timers/promises';
import { expect } from 'chai';
import { Gate } from '../../platform/gate.ts';
import { HostGate, refuseBusyHost } from '../../workers/runtime/host-gate.ts';

function openGate(limits = { maxTotal: 4, maxPerKey: 2 }) {
  const gate = new HostGate(limits);
  const begun: string[] = [];
  const lent = { now: 0 };
  const lendSlot = () => {
    lent.now += 1;
    return () => void (lent.now -= 1);
  };
  const start = (host: string, name: string, weight = 1) => {
    const { signal, abort } = abortable();
    let end = () => {};
    let fail: (error: Error) => void = () => {};
    const ended = new Promise<void>((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
    const done = gate.run({ key: host, weight, signal, lendSlot }, async () => {
      begun.push(name);
      await ended;
    });
    return { done, end, fail, abort };
  };
  return { gate, begun, lent, start };
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('aborted')) };
}

describe('the gate of a worker', () => {
  it('leaves room for other hosts however many jobs one host has', async () => {
    const { begun, start } = openGate();
    for (let nth = 1; nth <= 40; nth++) start('a', `a${nth}`);
    start('b', 'b1');
    start('b', 'b2');
    await yielded();
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'b2']);
  });

  it('runs at most its total and serves waiting hosts round-robin', async () => {
    const { begun, start } = openGate({ maxTotal: 2, maxPerKey: 1 });
    const jobs = ['a1', 'b1', 'a2', 'a3', 'b2', 'c1', 'd1'].map(name => start(name.charAt(0), name));
    const ended = jobs.map(async ({ done, end }) => {
      await yielded();
      end();
      await done;
    });
    await yielded();
    expect(begun.slice(0, 2)).to.deep.equal(['a1', 'b1']);
    await Promise.all(ended);
    expect(begun.toSorted()).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1']);
    expect(begun.indexOf('c1')).to.be.lessThan(begun.indexOf('a3'));
    expect(begun.indexOf('d1')).to.be.lessThan(begun.indexOf('a3'));
  });

  it('starts a job of weight two although lighter jobs of other hosts keep coming', async () => {
    const { begun, start } = openGate({ maxTotal: 2, maxPerKey: 2 });
    const [first, second] = [start('a', 'a1'), start('b', 'b1')];
    start('c', 'c2', 2);
    start('d', 'd1');
    first.end();
    await first.done;
    await yielded();
    expect(begun).to.deep.equal(['a1', 'b1']);
    second.end();
    await second.done;
    await yielded();
    expect(begun).to.deep.equal(['a1', 'b1', 'c2']);
  });

  it('gives its place on after an error', async () => {
    const { begun, start } = openGate({ maxTotal: 1, maxPerKey: 1 });
    const first = start('a', 'a1');
    start('a', 'a2');
    first.fail(new Error('broken'));
    expect(await first.done.catch((error: Error) => error.message)).to.equal('broken');
    await yielded();
    expect(begun).to.deep.equal(['a1', 'a2']);
  });

  it('does not run a job that is aborted while it waits or before, and lets the next one pass', async () => {
    const { begun, start, gate, lent } = openGate({ maxTotal: 2, maxPerKey: 2 });
    const first = start('a', 'a1');
    const heavy = start('b', 'b1', 2);
    const last = start('c', 'c1');
    heavy.abort();
    expect(await heavy.done.catch((error: Error) => error.message)).to.equal('aborted');
    await yielded();
    expect(begun).to.deep.equal(['a1', 'c1']);
    const entry = {
      key: 'd',
      weight: 1,
      signal: AbortSignal.abort(new Error('late')),
      lendSlot: () => () => {},
    };
    const late = gate.run(entry, async () => begun.push('d1'));
    expect(await late.catch((error: Error) => error.message)).to.equal('late');
    for (const job of [first, last]) job.end();
    await Promise.all([first.done, last.done]);
    expect([begun, lent.now]).to.deep.equal([['a1', 'c1'], 0]);
  });

  it('lends the slots of jobs only while they wait', async () => {
    const { start, lent } = openGate({ maxTotal: 1, maxPerKey: 1 });
    const [first, second] = [start('a', 'a1'), start('a', 'a2')];
    await yielded();
    expect(lent.now).to.equal(1);
    first.end();
    await first.done;
    await yielded();
    expect(lent.now).to.equal(0);
    second.end();
    await second.done;
  });

  it('refuses a host whose waiting jobs are too many, and no other', async () => {
    const { begun, start } = openGate({ maxTotal: 2, maxPerKey: 1 });
    const jobs = Array.from({ length: 302 }, (_, nth) => start('a', `a${nth}`));
    const refused = await jobs.at(-1)?.done.catch((error: Error) => refuseBusyHost(error));
    expect(refused).to.include({ code: 503, message: 'The service is overloaded' });
    start('b', 'b1');
    await yielded();
    expect(begun).to.deep.equal(['a0', 'b1']);
  });

  it('refuses none that keeps its slot', async () => {
    const gate = new HostGate({ maxTotal: 1, maxPerKey: 1 });
    let ran = 0;
    const work = async () => {
      await yielded();
      ran += 1;
    };
    const jobs = Array.from({ length: 400 }, () => gate.run({ key: 'a', signal: abortable().signal }, work));
    await Promise.all(jobs);
    expect(ran).to.equal(400);
  });
});

describe('a gate over keys', () => {
  it('runs so many at a time, and what waits of each key in turn, also after one that fails', async () => {
    const gate = new Gate({ maxTotal: 2, maxPerKey: 2 });
    const begun: string[] = [];
    let running = 0;
    const work = (key: string, name: string) =>
      gate
        .run({ key }, async () => {
          begun.push(name);
          running += 1;
          expect(running).to.be.at.most(2);
          await yielded();
          running -= 1;
          if (name === 'a2') throw new Error('failed');
        })
        .catch(({ message }) => message);
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'];
    const ended = await Promise.all(names.map(name => work(name.slice(0, 1), name)));
    expect(begun).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
    expect(ended.filter(Boolean)).to.deep.equal(['failed']);
    expect(await gate.run({ key: 'a' }, () => 'free again')).to.equal('free again');
  });

  it('asks for the limit of a wait only where somebody has to wait, and ends the wait at that', async () => {
    const gate = new Gate({ maxTotal: 1, maxPerKey: 1 });
    const { signal, abort } = abortable();
    let limits = 0;
    const startLimit = () => {
      limits += 1;
      return signal;
    };
    let end = () => {};
    const first = gate.run({ key: 'a', startLimit }, () => new Promise<void>(resolve => (end = resolve)));
    expect(limits).to.equal(0);
    const second = gate.run({ key: 'b', startLimit }, () => 'ran').catch((error: Error) => error.message);
    expect(limits).to.equal(1);
    abort();
    expect(await second).to.equal('aborted');
    end();
    await first;
  });

  it('gives the event loop to others between two that hold it, for at least twice as long', async () => {
    const gate = new Gate({ maxTotal: 1, maxPerKey: 1 }, { forAll: 2 });
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
    await Promise.all([1, 2, 3].map(() => gate.run({ key: 'a' }, hold)));
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

  it('lets the next key begin while the last one still pauses', async () => {
    const gate = new Gate({ maxTotal: 1, maxPerKey: 1 }, { forAll: 0, forKey: 20 });
    const begun: { readonly name: string; readonly at: number }[] = [];
    const HOLD_MS = 10;
    const hold = (name: string) =>
      gate.run({ key: name.slice(0, 1) }, () => {
        const at = performance.now();
        begun.push({ name, at });
        while (performance.now() < at + HOLD_MS);
      });
    await Promise.all(['a1', 'a2', 'b1', 'c1'].map(hold));
    expect(begun.map(({ name }) => name)).to.deep.equal(['a1', 'b1', 'c1', 'a2']);
    const [first, last] = [begun[0]?.at ?? 0, begun[3]?.at ?? 0];
    expect(last - first).to.be.at.least(20 * HOLD_MS);
  });
});
