import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { readDigits } from '../text/read-digits.ts';

const MIN_DIGITS = 8;
/** E.164 allows 15; a trunk or carrier prefix may precede them. */
export const MAX_PHONE_DIGITS = 18;
const MAX_LENGTH = 40;

/**
 * Whether this can be a phone number. Numbering plans change, so numbers that the library does not know are accepted.
 */
export function isPhone(text: string): boolean {
  const { length } = readDigits(text);
  return text.length <= MAX_LENGTH && length >= MIN_DIGITS && length <= MAX_PHONE_DIGITS;
}

/** The number in E.164, '' if unknown. */
export function e164Of(text: string | undefined): string {
  if (text === undefined || !isPhone(text)) return '';
  const digits = readDigits(text);
  const international = isAbroad(text, digits) ? digits : addCountryCode(digits);
  const parsed = parsePhoneNumberFromString(`+${international}`);
  return parsed?.isValid() ? parsed.number : '';
}

/**
 * All forms in which this phone may be stored: with and without the country code, and for a mobile (eight digits that
 * begin with 6 to 9) with and without the ninth digit.
 */
export function listPhoneVariants(text: string): string[] {
  const digits = readDigits(text);
  if (digits === '') return [];
  if (isAbroad(text, digits)) return [digits];
  const national = nationalOf(digits);
  const [, area = '', eight] = /^([1-9][0-9])?9?([6-9][0-9]{7})$/.exec(national) ?? [];
  const spellings = eight === undefined ? [national] : [`${area}9${eight}`, `${area}${eight}`];
  const isWhole = (spelling: string) => spelling.length === 10 || spelling.length === 11;
  return spellings.flatMap(each => (isWhole(each) ? [each, `55${each}`] : [each]));
}

function isAbroad(text: string, digits: string): boolean {
  return /^ *\+/.test(text) && !digits.startsWith('55');
}

/** Without the country code and the national trunk prefix 0. */
function nationalOf(digits: string): string {
  const own = /^55(?:[0-9]{10,11}|0[1-9][0-9]{9,10})$/.test(digits) ? digits.slice(2) : digits;
  return own.replace(/^0(?=[1-9][0-9]{9,10}$)/, '');
}

/** Adds the ninth digit, without which a mobile cannot be dialled. */
function addCountryCode(digits: string): string {
  return `55${nationalOf(digits).replace(/^([1-9][0-9])([6-9][0-9]{7})$/, '$19$2')}`;
}
