import {
  BANK_LENGTH,
  isBankLine,
  isCardNumber,
  isCnpj,
  isCpf,
  isUtilityLine,
  UTILITY_LENGTH,
} from './check-digits.ts';
import type { GroupedNumber } from './digit-chain.ts';
import type { IdentifierKind } from './identifier.ts';
import { isPhoneNumber, phoneOf } from './phone.ts';

export interface NumberMatch {
  readonly kind: IdentifierKind;
  readonly key: string;
  /** How sure the kind is: in unusual groups, the digits may belong to it by chance. */
  readonly sureness: 'usual' | 'weak' | 'odd';
}

/** The digits of a number among others: the index of its first one, and how many. */
interface DigitRange {
  readonly values: Uint8Array;
  readonly start: number;
  readonly length: number;
}

export const LONGEST_NUMBER = UTILITY_LENGTH;
const BAR_CODE_LENGTH = 44;
const LONG_CODES = new Set([BAR_CODE_LENGTH, BANK_LENGTH, UTILITY_LENGTH]);
const CPF_SHAPE = '3.3.3-2';
const CNPJ_SHAPE = '2.3.3/4-2';
const BANK_SHAPE = /^5.5.5.6.5.6.1.14$/;
const POSTAL_CODE_SHAPE = /^(?:8|5(?:[-. ]| - )3|2[. ]3(?:[- ]| - )3|(?:1 ){7}1)$/;
const FIRST_YEAR = 1900;
const LAST_YEAR = 2100;

/** Whether digits in this many groups may be a number of interest. Quick, because most are not. */
export function mayBeNumber(values: Uint8Array, start: number, length: number, groups: number): boolean {
  if (length < 8) return false;
  if (length > 19) return LONG_CODES.has(length);
  return (
    (length === 8 && (groups <= 4 || groups === length)) ||
    (length === 11 && (groups === 4 || isCpf(values, start))) ||
    (length === 14 && (groups === 5 || isCnpj(values, start))) ||
    isPhoneNumber(values, start, length) ||
    isCardNumber(values, start, length)
  );
}

/** The kind of identifier that these digits form together; undefined for other numbers. */
export function numberMatchOf(number: GroupedNumber): NumberMatch | undefined {
  const { separators } = number;
  if (separators.some(separator => UNUSUAL.test(separator))) return unusualMatchOf(number);
  if (separators.some(separator => /[()+]/.test(separator)))
    return phoneMatchOf(number) ?? checkedMatchOf(number);
  switch (number.length) {
    case 8:
      return postalCodeOf(number) ?? phoneMatchOf(number);
    case 11:
      return elevenDigitsOf(number);
    case 14:
      return cnpjMatchOf(number) ?? phoneMatchOf(number) ?? cardMatchOf(number);
    case BAR_CODE_LENGTH:
    case BANK_LENGTH:
    case UTILITY_LENGTH:
      return boletoMatchOf(number);
    default:
      return phoneMatchOf(number) ?? cardMatchOf(number);
  }
}

/** These also separate the digits of times, amounts and tables. */
const UNUSUAL = /[,_:*|•·[\]{}]/;
const UNUSUAL_CPF = /^(?:3 3 3 2|9 2|(?:1 ){10}1)$/;
const UNUSUAL_CNPJ = /^(?:2 3 3 4 2|8 4 2|12 2|(?:1 ){13}1)$/;
/** A shape with the area code, and the mobile number in one group or two. */
const UNUSUAL_PHONE = /^(?:2 )?2 (?:[45] 4|[89])$/;
const UNUSUAL_CARD = /^4 4 4 4$/;

/** With unusual separators, a number counts only in certain groups, and only with valid check digits. */
function checkedMatchOf({
  values,
  start,
  length,
  digits,
  ...number
}: GroupedNumber): NumberMatch | undefined {
  const sizes = number.sizes.join(' ');
  if (UNUSUAL_CPF.test(sizes) && isCpf(values, start)) return { kind: 'CPF', key: digits, sureness: 'odd' };
  if (UNUSUAL_CNPJ.test(sizes) && isCnpj(values, start))
    return { kind: 'CNPJ', key: digits, sureness: 'odd' };
  if (UNUSUAL_CARD.test(sizes) && isCardNumber(values, start, length))
    return { kind: 'CARTAO', key: digits, sureness: 'odd' };
  return undefined;
}

function unusualMatchOf(number: GroupedNumber): NumberMatch | undefined {
  const { sizes, separators } = number;
  const isLikeTime = separators.some(separator => /[,:]/.test(separator));
  const mayBePhone = !isLikeTime && UNUSUAL_PHONE.test(sizes.join(' '));
  return (
    checkedMatchOf(number) ??
    (mayBePhone ? phoneMatchOf({ ...number, separators: separators.map(() => ' ') }) : undefined)
  );
}

/** One phone number in a hundred has the check digits of a CPF, but its last four digits are apart. */
function elevenDigitsOf(number: GroupedNumber): NumberMatch | undefined {
  const cpf = cpfMatchOf(number);
  const phone = phoneMatchOf(number);
  const isLikePhone = cpf?.sureness !== 'usual' && number.sizes.at(-1) === 4;
  return isLikePhone ? (phone ?? cpf) : (cpf ?? phone);
}

/** Replaces each group of the number by its length. */
function shapeOf({ sizes, separators }: GroupedNumber): string {
  return sizes.map((size, at) => `${size}${separators[at] ?? ''}`).join('');
}

function isWhole({ sizes }: GroupedNumber): boolean {
  return sizes.length === 1;
}

/** A number in the usual form of a CPF counts even if its check digits are mistyped. */
function cpfMatchOf(number: GroupedNumber): NumberMatch | undefined {
  const isUsual = shapeOf(number) === CPF_SHAPE;
  if (!isUsual && !isCpf(number.values, number.start)) return undefined;
  return { kind: 'CPF', key: number.digits, sureness: isUsual || isWhole(number) ? 'usual' : 'odd' };
}

function cnpjMatchOf(number: GroupedNumber): NumberMatch | undefined {
  const isUsual = shapeOf(number) === CNPJ_SHAPE;
  if (!isUsual && !isCnpj(number.values, number.start)) return undefined;
  return { kind: 'CNPJ', key: number.digits, sureness: isUsual || isWhole(number) ? 'usual' : 'odd' };
}

function cardMatchOf({ values, start, length, digits, separators }: GroupedNumber): NumberMatch | undefined {
  if (!isCardNumber(values, start, length) || new Set(separators).size > 1) return undefined;
  return { kind: 'CARTAO', key: digits, sureness: 'usual' };
}

function boletoMatchOf(number: GroupedNumber): NumberMatch | undefined {
  const isUsual = isWhole(number) || BANK_SHAPE.test(shapeOf(number));
  if (!isUsual && !isPaymentLine(number)) return undefined;
  return { kind: 'BOLETO', key: number.digits, sureness: 'usual' };
}

function isPaymentLine({ values, start, length }: DigitRange): boolean {
  if (length === BANK_LENGTH) return isBankLine(values, start);
  return length === UTILITY_LENGTH && isUtilityLine(values, start);
}

/** Eight digits without a separator may also be a phone number: both have the same key. */
function postalCodeOf(number: GroupedNumber): NumberMatch | undefined {
  const isCode = POSTAL_CODE_SHAPE.test(shapeOf(number));
  return isCode ? { kind: 'CEP', key: number.digits, sureness: 'weak' } : undefined;
}

function phoneMatchOf(number: GroupedNumber): NumberMatch | undefined {
  if (isYears(number)) return undefined;
  const phone = phoneOf(number);
  return phone && { kind: 'TELEFONE', key: phone.key, sureness: phone.isLocal ? 'weak' : 'usual' };
}

/** `2025-2026` is more often two years than a phone number. */
function isYears({ digits, sizes }: GroupedNumber): boolean {
  if (sizes.length !== 2 || sizes[0] !== 4 || sizes[1] !== 4) return false;
  return [digits.slice(0, 4), digits.slice(4)]
    .map(Number)
    .every(year => year >= FIRST_YEAR && year <= LAST_YEAR);
}
