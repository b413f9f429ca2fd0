import { expect } from 'chai';
import fc from 'fast-check';
import { listEmphases } from '../../console/emphasis.ts';
import { growthBeyondLinear } from '../support/growth.ts';

describe('what is emphasized in a message, as the console shows it', () => {
  const shown = (text: string) => listEmphases(text).map(({ start, end }) => text.slice(start, end + 1));

  it('is between marks that stand beside their words, in one line', () => {
    expect(shown('*Oi*, _Ana_: ~não~ *a _b_ c*')).to.deep.equal(['*Oi*', '_Ana_', '~não~', '*a _b_ c*']);
    expect(shown('2*3*4, snake_case_name, * a *, *a\nb*, *😀*, ** e _')).to.deep.equal(['*😀*']);
  });

  it('is what the expression finds that says the same, in a time that it would not take', () => {
    const slow =
      /(?<![\p{L}\p{N}*_~])[*_~](?=\S)(?:(?<=\*)[^\n]*?\S\*|(?<=_)[^\n]*?\S_|(?<=~)[^\n]*?\S~)(?![\p{L}\p{N}])/gu;
    const letters = fc.constantFrom('*', '_', '~', 'a', '1', ' ', '\n', '.', '😀', 'é');
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 30 }), text => {
        expect(shown(text)).to.deep.equal(text.match(slow) ?? []);
      }),
      { numRuns: 2_000 },
    );
    for (const unit of ['*a ', '*a _b ~c ', '*', '*a_ '])
      expect(
        growthBeyondLinear(listEmphases, length => unit.repeat(length / unit.length)),
        unit,
      ).to.equal(undefined);
  });
});
