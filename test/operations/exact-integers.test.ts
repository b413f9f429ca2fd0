import { expect } from 'chai';
import * as fc from 'fast-check';
import { quoteLargeIntegers } from '../../api/guards/json-bounds.ts';

describe('whole numbers of a JSON text', () => {
  const read = (json: string) => JSON.parse(quoteLargeIntegers(json) ?? json);

  it('keep their digits where a number cannot hold them, and are numbers where it can', () => {
    const integer = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    fc.assert(
      fc.property(integer, fc.string(), (given, text) => {
        const isSafe = Number.isSafeInteger(Number(given));
        const json = `{"a":[${given},${JSON.stringify(text)}, true,null,-1.5e3],${JSON.stringify(text)}:${given} }`;
        const one = isSafe ? Number(given) : String(given);
        expect(read(json)).to.deep.equal({ a: [one, text, true, null, -1500], [text]: one });
      }),
    );
  });

  it('leave everything else as it is, to the letter', () => {
    fc.assert(
      fc.property(fc.json(), json => {
        const exact = quoteLargeIntegers(json);
        if (exact !== undefined) expect(exact.replaceAll('"', '')).to.equal(json.replaceAll('"', ''));
        expect(read(json)).to.be.deep.equal(JSON.parse(exact ?? json));
      }),
    );
    for (const json of ['1e400', '0.12345678901234567890', '"1234567890123456789"', '[]', '-0'])
      expect(quoteLargeIntegers(json), json).to.equal(undefined);
  });
});
