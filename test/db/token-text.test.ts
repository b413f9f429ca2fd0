import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { hashOf, makeToken } from '../../db/hosts/token-text.ts';

describe('token text', () => {
  it('is recognised, and stored as the SHA-256 of all of it', () => {
    for (let made = 0; made < 200; made++) {
      const { text, hash } = makeToken();
      expect(text).to.match(/^svc_[0-9A-Za-z]{49}$/);
      expect(hash).to.eql(createHash('sha256').update(text).digest());
      expect(hashOf(text)).to.eql(hash);
    }
  });

  it('keeps its checksum from one release to the next', () => {
    expect(hashOf(`svc_${'0'.repeat(43)}2CZclj`)).to.not.equal(undefined);
  });

  it('is refused when any one character is another', () => {
    const { text } = makeToken();
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom(...Array.from(alphabet), '_', ' ', 'é'),
        (at, other) => {
          fc.pre(text[at] !== other);
          expect(hashOf(text.slice(0, at) + other + text.slice(at + 1))).to.equal(undefined);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is refused when it is anything else', () => {
    const { text } = makeToken();
    for (const wrong of ['', 'svc_', text.slice(1), text.slice(0, -1), `${text}0`, `${text}\n`, ` ${text}`]) {
      expect(hashOf(wrong), wrong).to.equal(undefined);
    }
    fc.assert(fc.property(fc.string(), given => hashOf(given) === undefined));
  });

  it('draws every character about equally often', () => {
    const counts = new Map<string, number>();
    for (let made = 0; made < 2_000; made++) {
      for (const character of makeToken().text.slice(4, 47)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const expected = (2_000 * 43) / 62;
    expect(counts.size).to.equal(62);
    // Six standard deviations; reading bytes modulo 62 would favour the first eight by 25 %.
    for (const [character, count] of counts)
      expect(count, character).to.be.closeTo(expected, 6 * Math.sqrt(expected));
  });
});
