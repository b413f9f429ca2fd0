import { expect } from 'chai';
import { makeRecentTurns } from '../../workers/turns/handle.ts';

describe('how long turns lately took', () => {
  const after = (slow: { hostId: string; model: string }) => {
    const recent = makeRecentTurns();
    for (let turn = 0; turn < 8; turn += 1) recent.note(slow, 9_000);
    return (hostId: string, model: string) => recent.isTooShort({ hostId, model }, 5_000);
  };

  it('refuses turns that have less time, of whatever host, where the model is that of the installation', () => {
    const isTooShort = after({ hostId: 'a', model: 'large' });
    expect([isTooShort('a', 'large'), isTooShort('b', 'large'), isTooShort('a', 'small')]).to.deep.equal([
      true,
      true,
      false,
    ]);
  });

  it("says nothing of another host's own model, whose name may be the same", () => {
    const isTooShort = after({ hostId: 'a', model: 'nosso/grande' });
    expect([isTooShort('a', 'nosso/grande'), isTooShort('b', 'nosso/grande')]).to.deep.equal([true, false]);
  });
});
