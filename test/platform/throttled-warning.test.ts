import { expect } from 'chai';
import { makeThrottledWarning } from '../../platform/throttled-warning.ts';

describe('a warning that may come often', () => {
  it('is logged at once and then once a minute, each time with the number of those left out since', () => {
    const logged: unknown[] = [];
    let now = 0;
    const warn = makeThrottledWarning({ warn: (fields: object) => void logged.push(fields) }, () => now);
    for (const at of [0, 1, 59_999, 60_000, 60_001, 120_000, 180_000]) {
      now = at;
      warn({ event: 'a' }, 'a');
    }
    warn({ event: 'b' }, 'b');
    const others = [0, 2, 1, 0].map(count => ({ event: 'a', others: count }));
    expect(logged).to.deep.equal([...others, { event: 'b', others: 0 }]);
  });
});
