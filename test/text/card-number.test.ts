import { expect } from 'chai';
import { isCardNumber } from '../../text/check-digits.ts';

const isCard = (digits: string) => isCardNumber(Uint8Array.from(digits, Number), 0, digits.length);

describe('the number of a payment card', () => {
  it('is one in each length that an issuer has, and with no other check digit', () => {
    for (const number of [
      '4222222222222',
      '30569309025904',
      '378282246310005',
      '4111111111111111',
      '4000000000000000006',
    ]) {
      expect(isCard(number), number).to.equal(true);
      const other = (Number(number.at(-1)) + 1) % 10;
      expect(isCard(`${number.slice(0, -1)}${other}`), number).to.equal(false);
    }
  });
});
