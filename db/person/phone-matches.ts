import { type Fragment, sql } from '../rows-of.ts';

/*
 * Some phones in Brazil and abroad have the same digits: 51 98765-4321 is one of Porto Alegre, +51 987654321 one of Peru, and
 * `phone_key` of both is the same. Erasing one of them took the conversation of the other.
 */

/** Returns `phone_key`, with a plus for a foreign phone. */
export function exactKey(given: Fragment): Fragment {
  return sql`(case when ${given} ~ '^ *[+]' and ${digitsOf(given)} !~ '^55' then '+' else '' end || phone_key(${given}))`;
}

/** A WhatsApp id is digits alone and begins with a country's code; with other marks it was written by a person. */
export function exactKeyOfWhatsApp(id: Fragment): Fragment {
  return sql`case when ${id} ~ '^[0-9]+(@|$)' then ${exactKey(sql`'+' || ${id}`)} else ${exactKey(sql`nullif(${id}, '')`)} end`;
}

function digitsOf(given: Fragment): Fragment {
  return sql`regexp_replace(${given}, '[^0-9]', '', 'g')`;
}

/** Whether a Brazilian phone's digits may be foreign. They cannot if they begin with 1: no area of that country has a 9 there. */
export function mayBeAbroad(digits: string): boolean {
  return !digits.startsWith('1');
}

/** Returns the keys that a WhatsApp id of this person may have. */
export function keysOfWhatsApp(phoneKeys: readonly string[]): string[] {
  return phoneKeys.flatMap(key => (isForeign(key) || mayBeAbroad(key) ? key : [key, `+${key}`]));
}

/** Returns the keys that digits without a plus may mean; ambiguous ones are Brazilian. */
export function keysWithoutPlus(phoneKeys: readonly string[]): string[] {
  return phoneKeys.filter(key => !isForeign(key) || unclearDigitsOf([key]).length === 0);
}

/** A Brazilian phone with its area. */
const NATIONAL = /^[1-9][1-9](?:9[0-9]{8}|[2-5][0-9]{7})$/;

/** Returns the digits of these phones that may also be another's. */
export function unclearDigitsOf(phoneKeys: readonly string[]): string[] {
  return phoneKeys.map(key => key.replace('+', '')).filter(key => mayBeAbroad(key) && NATIONAL.test(key));
}

/** No phone that people write is longer. */
const MAX_LENGTH = 40;

/** Whether it has some of these digits, and does not say which phone it is. */
export function isUnclearPhone(given: Fragment, digits: readonly string[]): Fragment {
  return digits.length === 0
    ? sql`false`
    : sql`(case when length(${given}) <= ${MAX_LENGTH} and ${given} !~ '^ *[+]' then ${digitsOf(given)} = any (${digits}::text[]) else false end)`;
}

export function isForeign(key: string): boolean {
  return key.startsWith('+');
}
