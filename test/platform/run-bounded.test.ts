import { expect } from 'chai';
import { runBounded } from '../../platform/run-bounded.ts';

describe('a check that is bounded', () => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  /** As if the machine ran other processes: no time of the processor passes. */
  const waitForProcessor = () => Atomics.wait(cell, 0, 0, 60_000);

  it('gives its result, or its error', () => {
    expect(runBounded(() => 'done', 100)).to.equal('done');
    const fail = () => runBounded(() => expect.fail('wrong'), 100);
    expect(fail).to.throw('wrong');
  });

  it('is given up where it never ends, and the next one has its own time', () => {
    const runForEver = () => {
      for (;;) cell[0] = 0;
    };
    expect(runBounded(runForEver, 50)).to.equal(undefined);
    expect(runBounded(() => 'done', 50)).to.equal('done');
  });

  it('is begun again where the processor was not there for it, and given up where that never comes', () => {
    let begun = 0;
    const check = () => {
      begun += 1;
      if (begun === 1) waitForProcessor();
      return 'done';
    };
    expect(runBounded(check, 50)).to.equal('done');
    expect(begun).to.equal(2);
    expect(runBounded(waitForProcessor, 50)).to.equal(undefined);
  });
});
