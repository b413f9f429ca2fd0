import { once } from 'node:events';
import { expect } from 'chai';
import { repeat } from '../../workers/runtime/repeat.ts';

/** Resolves after that many runs of another repeated task, which take at least as many milliseconds. */
async function turns(count: number): Promise<void> {
  let left = count;
  await new Promise<void>(resolve => {
    const clock = repeat(
      1,
      async () => {
        left -= 1;
        if (left === 0) resolve(clock.stop());
      },
      () => {},
    );
  });
}

describe('work that comes back by itself', () => {
  it('is never done a second time beside itself', async () => {
    let begun = 0;
    const release = new AbortController();
    const released = once(release.signal, 'abort');
    const work = repeat(
      1,
      () => {
        begun += 1;
        return released;
      },
      () => {},
    );
    await turns(20);
    expect(begun).to.equal(1);
    release.abort();
    await turns(20);
    expect(begun).to.be.greaterThan(1);
    await work.stop();
  });

  it('is tried again after it went wrong, and tells each time', async () => {
    const told: unknown[] = [];
    const trouble = new Error('no answer');
    await new Promise<void>(resolve => {
      const work = repeat(
        1,
        () => Promise.reject(trouble),
        error => {
          told.push(error);
          if (told.length === 3) resolve(work.stop());
        },
      );
    });
    expect(told).to.deep.equal([trouble, trouble, trouble]);
  });

  it('is told when it is to end, and is waited for', async () => {
    let isThrough = false;
    const begin = new AbortController();
    const begun = once(begin.signal, 'abort');
    const work = repeat(
      1,
      async stopping => {
        begin.abort();
        await once(stopping, 'abort');
        await turns(5);
        isThrough = true;
      },
      () => {},
    );
    await begun;
    await work.stop();
    expect(isThrough).to.equal(true);
  });

  it('does not begin again once it was stopped', async () => {
    let begun = 0;
    const work = repeat(
      1,
      async () => {
        begun += 1;
      },
      () => {},
    );
    await turns(3);
    await work.stop();
    const before = begun;
    await turns(10);
    expect(begun).to.equal(before);
  });
});
