import { expect } from 'chai';
import * as fc from 'fast-check';
import { rowsOf } from '../../db/rows-of.ts';
import { e164Of, isPhone, isPhoneNumber, listPhoneVariants } from '../../text/phone.ts';
import { anyCharacter } from '../support/any-character.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const same = [
  ['11987654321', '+55 (11) 98765-4321', '5511987654321', '1187654321', '551187654321', '+55 11 8765-4321'],
  ['1133334444', '+55 11 3333-4444', '551133334444'],
  ['+1 415 555 2671', '14155552671'],
];

describe('the spellings of a phone', () => {
  for (const spellings of same)
    it(`${spellings[0]} has are known from each of them`, () => {
      const digits = new Set(spellings.map(each => each.replaceAll(/[^0-9]/g, '')));
      for (const spelling of spellings.filter(each => !each.startsWith('+1')))
        expect(listPhoneVariants(spelling)).to.include.members([...digits]);
    });

  it('give a landline no ninth digit', () => {
    expect(listPhoneVariants('1133334444')).to.have.members(['1133334444', '551133334444']);
    expect(listPhoneVariants('11933334444')).to.not.include('1133334444');
  });

  it('are the same with the 0 that is dialled within the country', () => {
    for (const spelling of ['011 98765-4321', '+55 (011) 98765-4321', '01187654321'])
      expect(listPhoneVariants(spelling), spelling).to.have.members(listPhoneVariants('11987654321'));
    expect(listPhoneVariants('0800 777 1234')).to.include('8007771234');
  });

  it('of another country stay as they are', () => {
    expect([listPhoneVariants('+49 89 123456'), listPhoneVariants('-')]).to.deep.equal([['4989123456'], []]);
  });

  it('lead to E.164 where it can be called, and never to a refusal', () => {
    for (const spelling of same[0] ?? []) expect(e164Of(spelling), spelling).to.equal('+5511987654321');
    expect(e164Of('(11) 3333-4444')).to.equal('+551133334444');
    expect(e164Of('011 98765-4321')).to.equal('+5511987654321');
    expect(e164Of('+1 415 555 2671')).to.equal('+14155552671');
    expect([e164Of('00000000'), e164Of('98765-4321'), e164Of(''), e164Of(undefined)]).to.deep.equal([
      '',
      '',
      '',
      '',
    ]);
    expect([isPhone('00000000'), isPhone('1234567'), isPhone('9'.repeat(19)), isPhone('a')]).to.deep.equal([
      true,
      false,
      false,
      false,
    ]);
  });

  it('in unusual groups are told from other numbers by their first digits', () => {
    const mayBePhone = (digits: string) => isPhoneNumber(Uint8Array.from(digits, Number), 0, digits.length);
    for (const digits of ['1122345678', '11932345678', '01132345678', '551122345678'])
      expect(mayBePhone(digits), digits).to.equal(true);
    for (const digits of ['1112345678', '1022345678', '11832345678', '541122345678'])
      expect(mayBePhone(digits), digits).to.equal(false);
  });

  it('never throw, whatever is given', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        text => [e164Of(text), listPhoneVariants(text)].length === 2,
      ),
    );
  });
});

describe('phone_key in the database', () => {
  const database = openOnce(makeDatabase);

  it('is one for two spellings exactly where they are variants of each other', async () => {
    const eight = fc.constantFrom('87654321', '33334444', '61234567', '91234567', '21234567');
    const spelling = fc
      .tuple(
        fc.constantFrom('', '0', '55', '+55 ', '+55 0'),
        fc.constantFrom('11', '55', '98'),
        fc.constantFrom('', '9'),
        eight,
      )
      .map(parts => parts.join(''));
    const pairs = fc.sample(fc.tuple(spelling, spelling), { numRuns: 2_000, seed: 7 });
    const [first, second] = [pairs.map(([each]) => each), pairs.map(([, each]) => each)];
    const keys = await rowsOf<{ a: string; b: string }>(database.db)`
      select phone_key(a) as a, phone_key(b) as b from unnest(${first}::text[], ${second}::text[]) given (a, b)`;
    for (const [at, [a, b]] of pairs.entries()) {
      const areVariants = listPhoneVariants(a).some(each => listPhoneVariants(b).includes(each));
      expect(keys[at]?.a === keys[at]?.b, `${a} and ${b}`).to.equal(areVariants);
    }
  });
});
