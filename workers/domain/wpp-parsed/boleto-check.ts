/*
 * There are two kinds of payment lines. A bank line has 47 digits: three fields, each followed by its check digit,
 * then the check digit of the whole bar code, then due date and amount. A line of a utility, tax office or college
 * has 48: four blocks of eleven digits, each followed by its check digit; the check digit of the whole bar code is
 * in the fourth position.
 *
 * All check digits must match: a line with one wrong digit pays somebody else.
 */

export const BANK_LENGTH = 47;
export const UTILITY_LENGTH = 48;

/** Digit values of a text that may be longer than the line, so that checking a position copies nothing. */
type Digits = Uint8Array;

function places(...ranges: readonly (readonly [number, number])[]): Uint8Array {
  return Uint8Array.from(
    ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index)),
  );
}

/** Positions of the digits in a line: of the fields, and of the bar code without its own check digit. */
const BANK_FIELDS = [places([0, 9]), places([10, 20]), places([21, 31])];
const BANK_BAR_CODE = places([0, 4], [33, 47], [4, 9], [10, 20], [21, 31]);
const BANK_CHECK = 32;
const UTILITY_BLOCKS = [places([0, 11]), places([12, 23]), places([24, 35]), places([36, 47])];
const UTILITY_BAR_CODE = places([0, 3], [4, 11], [12, 23], [24, 35], [36, 47]);
const UTILITY_CHECK = 3;

function digitAt(digits: Digits, at: number): number {
  return digits[at] ?? 0;
}

/** Weights 2, 1, 2, … from right to left, digit sums of the products; the difference to the next ten. */
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

/** Weights 2 to 9, repeated, from right to left; the difference to the next eleven, 1 to 11. */
function mod11(digits: Digits, start: number, line: Uint8Array): number {
  let sum = 0;
  let weight = 2;
  for (let at = line.length - 1; at >= 0; at--) {
    sum += digitAt(digits, start + digitAt(line, at)) * weight;
    weight = weight === 9 ? 2 : weight + 1;
  }
  return 11 - (sum % 11);
}

function utilityMod11(digits: Digits, start: number, line: Uint8Array): number {
  const check = mod11(digits, start, line);
  return check > 9 ? 0 : check;
}

/** Whether each field is followed by its check digit. */
function eachHolds(
  checkOf: typeof mod10,
  digits: Digits,
  start: number,
  fields: readonly Uint8Array[],
): boolean {
  for (const field of fields) {
    const behind = start + digitAt(field, field.length - 1) + 1;
    if (checkOf(digits, start, field) !== digitAt(digits, behind)) return false;
  }
  return true;
}

export function isBankLine(digits: Digits, start: number): boolean {
  if (!eachHolds(mod10, digits, start, BANK_FIELDS)) return false;
  const check = mod11(digits, start, BANK_BAR_CODE);
  return (check > 9 ? 1 : check) === digitAt(digits, start + BANK_CHECK);
}

/** The first digit is 8; the third determines the modulus of all five check digits. */
export function isUtilityLine(digits: Digits, start: number): boolean {
  const kind = digitAt(digits, start + 2);
  if (digitAt(digits, start) !== 8 || kind < 6) return false;
  const checkOf = kind < 8 ? mod10 : utilityMod11;
  if (!eachHolds(checkOf, digits, start, UTILITY_BLOCKS)) return false;
  return checkOf(digits, start, UTILITY_BAR_CODE) === digitAt(digits, start + UTILITY_CHECK);
}
