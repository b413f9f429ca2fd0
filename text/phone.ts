import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { readDigits } from './contact.ts';
import type { GroupedNumber } from './digit-chain.ts';

/*
 * First a phone number as a value, such as a field of a form: most of these texts are one. Then as digits within a text: most of
 * those are not.
 */

const MIN_DIGITS = 8;
/** E.164 allows 15; a trunk or carrier prefix may precede them. */
export const MAX_PHONE_DIGITS = 18;
const MAX_LENGTH = 40;

/** Whether this can be a phone number. Numbering plans change, so numbers unknown to the library are accepted. */
export function isPhone(text: string): boolean {
  const { length } = readDigits(text);
  return text.length <= MAX_LENGTH && length >= MIN_DIGITS && length <= MAX_PHONE_DIGITS;
}

/** The device after an id of WhatsApp. */
const DEVICE = /:[0-9]{1,4}(?=@|$)/;
/** Ids of WhatsApp for a group, a channel, a list, or a person with a hidden phone. */
const NO_PHONE = /@(?:g\.us|newsletter|broadcast|lid)$/i;
/** A fraction that a spreadsheet adds to a number. */
const FRACTION = /^([+0-9 ()-]*[0-9])\.0+$/;
/** Extensions, whose digits do not belong to the number. */
const EXTENSION = /(?:;ext=|[\s,;-]{0,4}(?:ramal|extension|ext|r)\b[.:\s]{0,3})[0-9]{1,6}$/i;
/** Separators between two numbers. */
const BETWEEN = /[/|;,\n]|\b(?:ou|e)\b| [-–] /i;
/** Where another number begins behind a blank. */
const BEGINNING = /(?<!\+[0-9]{1,3}\s{0,3})\s(?=[+(])/;
/** Trunk prefix, carrier, area code and subscriber, with or without the country. */
const WITH_CARRIER = /^(?:55)?0[1-9][0-9]([1-9][1-9](?:9[0-9]{8}|[2-9][0-9]{7}))$/;

/**
 * Reads a phone, '' if there is none. Of several in a text it is the first that can be called, or else the first that may be a
 * phone. A number may have separators of its own, so a text with one number is left as it is.
 */
export function readPhone(text: string): { readonly phone: string; readonly hasMore: boolean } {
  const whole = text.trim().replace(EXTENSION, '');
  const parts = whole.split(BETWEEN).flatMap(splitLong);
  const phones = parts.flatMap(part => part.split(BEGINNING)).filter(part => isPhone(plainPhoneOf(part)));
  const callable = (phones.length > 1 ? phones : parts).find(part => e164Of(plainPhoneOf(part)) !== '');
  const first =
    (parts.length > 1 ? callable : undefined) ?? (phones.length > 1 ? phones[0] : undefined) ?? whole;
  const phone = plainPhoneOf(first);
  return { phone: isPhone(phone) ? phone : '', hasMore: readDigits(first) !== readDigits(whole) };
}

const MAX_E164_DIGITS = 15;

/** Two numbers with nothing but a blank between them have more digits than one. */
function splitLong(text: string): string[] {
  if (text.length > 2 * MAX_LENGTH || readDigits(text).length <= MAX_E164_DIGITS) return [text];
  if (e164Of(plainPhoneOf(text)) !== '') return [text];
  const ends = [...text.matchAll(/\s+/g)].map(({ index }) => index);
  const end = ends.find(at => [text.slice(0, at), text.slice(at)].every(isPhone));
  return end === undefined ? [text] : [text.slice(0, end), text.slice(end)];
}

/**
 * The number as people write it, from a program that added a fraction, a device, 00 for the plus, a carrier or an extension.
 * Empty if it lost digits to an exponent, or if there is no number.
 */
function plainPhoneOf(text: string): string {
  const trimmed = text.trim().replace(DEVICE, '').replace(FRACTION, '$1').replace(EXTENSION, '');
  if (NO_PHONE.test(trimmed) || /[0-9]e\+?[0-9]/i.test(trimmed)) return '';
  const digits = readDigits(trimmed);
  const [, national] = WITH_CARRIER.exec(digits) ?? [];
  if (national !== undefined) return `+55${national}`;
  return digits.startsWith('00') && digits[2] !== '0' && digits.length > 10 ? `+${digits.slice(2)}` : trimmed;
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

/** Drops the country code and the national trunk prefix 0. */
function nationalOf(digits: string): string {
  const own = /^55(?:[0-9]{10,11}|0[1-9][0-9]{9,10})$/.test(digits) ? digits.slice(2) : digits;
  return own.replace(/^0(?=[1-9][0-9]{9,10}$)/, '');
}

/** Adds the ninth digit too, without which nobody can dial a mobile. */
function addCountryCode(digits: string): string {
  const national = nationalOf(digits);
  return national.length === 10
    ? `55${national.slice(0, 2)}${addNinthDigit(national.slice(2))}`
    : `55${national}`;
}

interface FoundPhone {
  /** The key has the area code and no country code; a number without area code is local, and one from abroad has a plus. */
  readonly key: string;
  readonly isLocal: boolean;
}

/** Country code, trunk prefix with or without a carrier, area code, and the subscriber's eight or nine digits. */
const NATIONAL = /^(?:(?:00)?55)?(?:0(?:[1-9][0-9])??)?([1-9][1-9])(9[0-9]{8}|[2-9][0-9]{7})$/;
const LOCAL = /^(?:9[0-9]{8}|[2-9][0-9]{7})$/;
/** The sizes of the groups of the subscriber's digits, as people write them. */
const USUAL_SIZES = new Set([
  '9',
  '5,4',
  '1,4,4',
  '1,8',
  '3,3,3',
  '8',
  '4,4',
  '3,5',
  '3,3,2',
  '4,2,2',
  '5,2,2',
  '1,4,2,2',
]);
const MIN_ABROAD = 8;
const MAX_ABROAD = 15;
const MOBILE_WITHOUT_NINTH = /^[6-9][0-9]{7}$/;

/** Whether the digits may be a phone number of this country, whatever their groups. */
export function isPhoneNumber(values: Uint8Array, start: number, length: number): boolean {
  const first = values[start] ?? 0;
  const second = values[start + 1] ?? 0;
  const third = values[start + 2] ?? 0;
  const isCountry = first === 5 && second === 5;
  switch (length) {
    case 8:
      return first >= 2;
    case 9:
      return first === 9;
    case 10:
      return first > 0 && second > 0 && third >= 2;
    case 11:
      return first === 0 || (second > 0 && third === 9);
    case 12:
    case 13:
      return first === 0 || isCountry;
    case 14:
    case 15:
      return first === 0 || (isCountry && third === 0);
    default:
      return false;
  }
}

/** The phone number that these digits form, if they are grouped like one. */
export function phoneOf(number: GroupedNumber): FoundPhone | undefined {
  const { digits, hasPlus, separators } = number;
  // A slash belongs to dates and to several numbers, and a plus begins the next number.
  if (separators.some(separator => /[/+]/.test(separator))) return undefined;
  const [, area = '', subscriber = ''] = NATIONAL.exec(digits) ?? [];
  if (subscriber !== '')
    return isGroupedLikePhone(number, subscriber.length)
      ? { key: `${area}${addNinthDigit(subscriber)}`, isLocal: false }
      : undefined;
  const isAbroad = hasPlus && digits.length >= MIN_ABROAD && digits.length <= MAX_ABROAD;
  if (isAbroad) return { key: `+${digits}`, isLocal: false };
  const isLocal = LOCAL.test(digits) && isGroupedLikePhone(number, digits.length) && !isDateOrAmount(number);
  return isLocal ? { key: digits, isLocal } : undefined;
}

/** Adds the digit that all mobile numbers got in 2016, and that people may leave out. */
function addNinthDigit(subscriber: string): string {
  return MOBILE_WITHOUT_NINTH.test(subscriber) ? `9${subscriber}` : subscriber;
}

/** Whether the last digits, which are the subscriber, have usual groups, short ones, or only blanks between them. */
function isGroupedLikePhone({ digits, sizes, separators }: GroupedNumber, length: number): boolean {
  let before = digits.length - length;
  const groups: number[] = [];
  for (const size of sizes) {
    if (size > before) groups.push(size - before);
    before = Math.max(before - size, 0);
  }
  const first = separators.slice(sizes.length - groups.length);
  if (groups.length > 1 && first.some(separator => separator.includes('('))) return false;
  const isSpaced = separators.every(separator => separator === ' ') && groups.length < sizes.length;
  return USUAL_SIZES.has(groups.join()) || groups.every(size => size <= 2) || isSpaced;
}

/** Whether it is an amount like 900.000.000, or a date like 2026-12-31. */
function isDateOrAmount({ sizes, separators }: GroupedNumber): boolean {
  const isPointed = separators.length > 0 && separators.every(separator => separator === '.');
  return sizes.join() === '4,2,2' || (isPointed && sizes.slice(1).every(size => size === 3));
}
