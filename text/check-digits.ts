/*
 * The check digits of CPF, CNPJ, payment cards, and of the two kinds of payment lines. A bank line has 47 digits: three
 * fields, each followed by its check digit, then the check digit of the whole bar code, then due date and amount. A line of
 * a utility, tax office or college has 48: four blocks of eleven digits, each followed by its check digit; the check digit
 * of the whole bar code is in the fourth position.
 *
 * All check digits must match: a line with one wrong digit pays somebody else.
 */

export const BANK_LENGTH = 47;
export const UTILITY_LENGTH = 48;
const CPF_LENGTH = 11;
const CNPJ_LENGTH = 14;

/** Values of digits in a text that may be longer than the number, so that checking a position needs no copy. */
type Digits = Uint8Array;
type CheckOf = (digits: Digits, start: number, line: Uint8Array) => number;

function places(...ranges: readonly (readonly [number, number])[]): Uint8Array {
  return Uint8Array.from(
    ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index)),
  );
}

/** Positions in a number of the digits that a check digit covers; and of the bar code without its own check digit. */
const CPF_FIELDS = [places([0, 9]), places([0, 10])];
const CNPJ_FIELDS = [places([0, 12]), places([0, 13])];
/** The index is the length of the card number. */
const CARD_FIELDS = Array.from({ length: 20 }, (_, length) => [places([0, Math.max(length - 1, 0)])]);
const BANK_FIELDS = [places([0, 9]), places([10, 20]), places([21, 31])];
const BANK_BAR_CODE = places([0, 4], [33, 47], [4, 9], [10, 20], [21, 31]);
const BANK_CHECK = 32;
const UTILITY_BLOCKS = [places([0, 11]), places([12, 23]), places([24, 35]), places([36, 47])];
const UTILITY_BAR_CODE = places([0, 3], [4, 11], [12, 23], [24, 35], [36, 47]);
const UTILITY_CHECK = 3;

function digitAt(digits: Digits, at: number): number {
  return digits[at] ?? 0;
}

/** The check digit of Luhn: weights 2, 1, 2, … from right to left, digit sums of the products; the difference to the next ten. */
function mod10(digits: Digits, start: number, line: Uint8Array): number {
  let sum = 0;
  let weight = 2;
  for (let at = line.length - 1; at >= 0; at--) {
    const product = digitAt(digits, start + digitAt(line, at)) * weight;
    sum += product > 9 ? product - 9 : product;
    weight = 3 - weight;
  }
  return (10 - (sum % 10)) % 10;
}

/** Weights from 2 to the greatest, repeated, from right to left; the difference to the next eleven, 1 to 11. */
function mod11(digits: Digits, start: number, line: Uint8Array, greatest: number): number {
  let sum = 0;
  let weight = 2;
  for (let at = line.length - 1; at >= 0; at--) {
    sum += digitAt(digits, start + digitAt(line, at)) * weight;
    weight = weight === greatest ? 2 : weight + 1;
  }
  return 11 - (sum % 11);
}

/**
 * The check digit of a CNPJ and of a utility line, and with weights up to 11 of a CPF: ten and eleven are not digits, so
 * they become zero.
 */
function mod11OrZero(greatest: number): CheckOf {
  return (digits, start, line) => {
    const check = mod11(digits, start, line, greatest);
    return check > 9 ? 0 : check;
  };
}

const cpfCheck = mod11OrZero(11);
const companyCheck = mod11OrZero(9);

/** Whether each field has the right check digit after it. */
function eachHolds(checkOf: CheckOf, digits: Digits, start: number, fields: readonly Uint8Array[]): boolean {
  for (const field of fields) {
    const behind = start + digitAt(field, field.length - 1) + 1;
    if (checkOf(digits, start, field) !== digitAt(digits, behind)) return false;
  }
  return true;
}

/** A single repeated value passes the check, but nobody issues such a number. */
function isVaried(values: Digits, start: number, length: number): boolean {
  return values.subarray(start, start + length).some(value => value !== values[start]);
}

/** Whether the eleven digits from `start` on are a CPF. */
export function isCpf(digits: Digits, start: number): boolean {
  return eachHolds(cpfCheck, digits, start, CPF_FIELDS) && isVaried(digits, start, CPF_LENGTH);
}

/**
 * Whether the fourteen characters from `start` on are a CNPJ: digits, or since 2026 also capital letters, whose value is their
 * code minus the code of `0`.
 */
export function isCnpj(values: Digits, start: number): boolean {
  return eachHolds(companyCheck, values, start, CNPJ_FIELDS) && isVaried(values, start, CNPJ_LENGTH);
}

/**
 * Whether these digits are the number of a payment card, judged by the first digits of an issuer, the length, and the check
 * digit.
 */
export function isCardNumber(values: Digits, start: number, length: number): boolean {
  if (!isOfIssuer(digitAt(values, start), digitAt(values, start + 1), length)) return false;
  return eachHolds(mod10, values, start, CARD_FIELDS[length] ?? []);
}

function isOfIssuer(first: number, second: number, length: number): boolean {
  switch (length) {
    case 13:
      return first === 4;
    case 14:
      return first === 3 && (second === 0 || second === 6 || second >= 8);
    case 15:
      return first === 3 && (second === 4 || second === 7);
    case 16:
      return first >= 4
        ? first <= 6
        : (first === 3 && (second === 5 || second === 8)) || (first === 2 && second >= 2);
    case 19:
      return first === 3 || first === 4 || first === 6;
    default:
      return false;
  }
}

export function isBankLine(digits: Digits, start: number): boolean {
  if (!eachHolds(mod10, digits, start, BANK_FIELDS)) return false;
  const check = mod11(digits, start, BANK_BAR_CODE, 9);
  return (check > 9 ? 1 : check) === digitAt(digits, start + BANK_CHECK);
}

/** The first digit is 8; the third determines the modulus of all five check digits. */
export function isUtilityLine(digits: Digits, start: number): boolean {
  const kind = digitAt(digits, start + 2);
  if (digitAt(digits, start) !== 8 || kind < 6) return false;
  const checkOf = kind < 8 ? mod10 : companyCheck;
  if (!eachHolds(checkOf, digits, start, UTILITY_BLOCKS)) return false;
  return checkOf(digits, start, UTILITY_BAR_CODE) === digitAt(digits, start + UTILITY_CHECK);
}
