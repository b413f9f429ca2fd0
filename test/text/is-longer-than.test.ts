import { expect } from 'chai';
import { isLongerThan } from '../../text/lines.ts';

describe('a limit of characters', () => {
  it('counts them as people do: an emoji is one', () => {
    for (const character of ['a', 'é', '👍', '𝒜']) {
      expect(isLongerThan(9_000, character.repeat(9_000)), character).to.equal(false);
      expect(isLongerThan(9_000, character.repeat(9_001)), character).to.equal(true);
    }
  });
});
