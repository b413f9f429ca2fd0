/*
 * Two kinds of payment line exist. A bank's has 47 digits: three fields, each with its check digit behind it, then the
 * check digit of the whole bar code, then due date and amount. A utility's, a tax office's or a college's has 48: four
 * blocks of eleven digits, each with its check digit behind it, and that of the whole bar code in the fourth place.
 * Every one of them must hold: a line with one wrong digit pays somebody else.
 */

export const BANK_LENGTH = 47;
export const UTILITY_LENGTH = 48;

/** Digits by their value, of a text that may hold more than the line: trying a line at a place costs no copy. */
type Digits = Uint8Array;

function places(...ranges: readonly (readonly [number, number])[]): Uint8Array {
  return Uint8Array.from(
    ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index)),
  );
}

/** Places of the digits in a line: of the fields, and of the bar code without its own check digit. */
const BANK_FIELDS = [places([0, 9]), places([10, 20]), places([21, 31])];
const BANK_BAR_CODE = places([0, 4], [33, 47], [4, 9], [10, 20], [21, 31]);
const BANK_CHECK = 32;
const UTILITY_BLOCKS = [places([0, 11]), places([12, 23]), places([24, 35]), places([36, 47])];
const UTILITY_BAR_CODE = places([0, 3], [4, 11], [12, 23], [24, 35], [36, 47]);
const UTILITY_CHECK = 3;

function digitAt(digits: Digits, at: number): number {
  return digits[at] ?? 0;
}

/** Products from right to left by 2, 1, 2, …, their digits summed; what is missing to ten. */
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

/** Products from right to left by 2 to 9 and again; what is missing to eleven, 1 to 11. */
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

/** Whether each field has its check digit behind it. */
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

/** The first digit is 8; the third says by which modulus all five check digits are made. */
export function isUtilityLine(digits: Digits, start: number): boolean {
  const kind = digitAt(digits, start + 2);
  if (digitAt(digits, start) !== 8 || kind < 6) return false;
  const checkOf = kind < 8 ? mod10 : utilityMod11;
  if (!eachHolds(checkOf, digits, start, UTILITY_BLOCKS)) return false;
  return checkOf(digits, start, UTILITY_BAR_CODE) === digitAt(digits, start + UTILITY_CHECK);
}
