import { isValidCpf } from '@brazilian-utils/brazilian-utils';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { cpfOf } from '../../text/contact.ts';

describe('a CPF', () => {
  it('is its eleven digits, with or without dots and hyphen', () => {
    expect([cpfOf('529.982.247-25'), cpfOf(' 52998224725 ')]).to.deep.equal(['52998224725', '52998224725']);
  });

  it('may have any blanks, dots and hyphens between its groups', () => {
    for (const written of ['529982247-25', '529 982 247 25', ' 529-982-247.25 ', '529. 982. 247 - 25'])
      expect(cpfOf(written), written).to.equal('52998224725');
  });

  it('is none with other check digits, signs, lengths or one digit eleven times', () => {
    for (const wrong of [
      '52998224724',
      '5299822472',
      '529982247255',
      '529,982,247,25',
      '5299 82 247 25',
      '11111111111',
      'x',
      '',
    ])
      expect(cpfOf(wrong), wrong).to.equal(undefined);
  });

  it('holds exactly where a well-kept library says so', () => {
    const nine = fc.array(fc.nat(9), { minLength: 9, maxLength: 9 });
    const near = fc
      .tuple(nine, fc.nat(99))
      .map(([digits, last]) => digits.join('') + String(last).padStart(2, '0'));
    fc.assert(
      fc.property(near, digits => (cpfOf(digits) !== undefined) === isValidCpf(digits)),
      { numRuns: 5_000 },
    );
  });
});
