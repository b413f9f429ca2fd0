import { type Fragment, sql } from '../rows-of.ts';

/*
 * Phones with the same digits in Brazil and abroad: 51 98765-4321 is one of Porto Alegre, +51 987654321 one of Peru, and
 * `phone_key` of both is the same. Erasing one of them took the conversation of the other.
 */

/** `phone_key`, with a plus where the phone is foreign. */
export function exactKey(given: Fragment): Fragment {
  return sql`(case when ${given} ~ '^ *[+]' and ${digitsOf(given)} !~ '^55' then '+' else '' end || phone_key(${given}))`;
}

/** An id of WhatsApp, which is digits alone, begins with the code of a country; what has other marks was written by a person. */
export function exactKeyOfWhatsApp(id: Fragment): Fragment {
  return sql`case when ${id} ~ '^[0-9]+(@|$)' then ${exactKey(sql`'+' || ${id}`)} else ${exactKey(sql`nullif(${id}, '')`)} end`;
}

function digitsOf(given: Fragment): Fragment {
  return sql`regexp_replace(${given}, '[^0-9]', '', 'g')`;
}

/** Whether the digits of a Brazilian phone may be foreign ones. Not where they begin with 1: no area of that country has a 9 there. */
export function mayBeAbroad(digits: string): boolean {
  return !digits.startsWith('1');
}

/** The keys that an id of WhatsApp of this person may have. */
export function keysOfWhatsApp(phoneKeys: readonly string[]): string[] {
  return phoneKeys.flatMap(key => (isForeign(key) || mayBeAbroad(key) ? key : [key, `+${key}`]));
}

/** Those that digits without a plus may mean, which are Brazilian where they may be both. */
export function keysWithoutPlus(phoneKeys: readonly string[]): string[] {
  return phoneKeys.filter(key => !isForeign(key) || unclearDigitsOf([key]).length === 0);
}

/** A phone of Brazil with its area. */
const NATIONAL = /^[1-9][1-9](?:9[0-9]{8}|[2-5][0-9]{7})$/;

/** The digits of these phones that may be those of another one, too. */
export function unclearDigitsOf(phoneKeys: readonly string[]): string[] {
  return phoneKeys.map(key => key.replace('+', '')).filter(key => mayBeAbroad(key) && NATIONAL.test(key));
}

/** The longest phone as people write it. */
const MAX_LENGTH = 40;

/** Whether it is one of these digits, and does not say which. */
export function isUnclearPhone(given: Fragment, digits: readonly string[]): Fragment {
  return digits.length === 0
    ? sql`false`
    : sql`(case when length(${given}) <= ${MAX_LENGTH} and ${given} !~ '^ *[+]' then ${digitsOf(given)} = any (${digits}::text[]) else false end)`;
}

export function isForeign(key: string): boolean {
  return key.startsWith('+');
}
