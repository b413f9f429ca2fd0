/** Characters that do not fold by losing their accent. */
const OTHERS: Readonly<Record<string, string>> = {
  '\u00a0': ' ',
  '\u2007': ' ',
  '\u2009': ' ',
  '\u202f': ' ',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2212': '-',
  '\u2018': "'",
  '\u2019': "'",
  '\u2032': "'",
  '°': 'º',
};
const folds = new Map<string, string>();

/**
 * The text in small letters without accents, with as many UTF-16 units, so that a place in it is the same place in the
 * text. Signs like `º` and `²` stay.
 */
export function foldCharacters(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text
    .replaceAll(RAISED, digitsOf)
    .replaceAll(ENCLOSED, digitOf)
    .replaceAll(BEYOND_BMP, digit => `0${valueOfDigit(digit)}`)
    .replaceAll(/[^\0-\x7f]/g, foldUnit)
    .toLowerCase();
}

/** Several raised or lowered digits that stand for themselves. One is a note, and behind a letter or a digit a power: `km²`. */
const RAISED = /(?<![\p{L}\p{N}])[⁰¹²³⁴-⁹₀-₉]{2,}|(?<=\$ ?)[⁰¹²³⁴-⁹₀-₉]/gu;

function digitsOf(raised: string): string {
  return raised.normalize('NFKC');
}

/** `③`, `⒊`, `⑴`; one that begins a line is the mark of a list. */
const ENCLOSED = /(?<=\S ?)[\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf]/gu;
/** A digit of two units: with a zero before it, so that the text stays as long. */
const BEYOND_BMP = /(?=[\u{10000}-\u{10ffff}])\p{Nd}/gu;

/** A number of several digits becomes another one, which stands nowhere either. */
function digitOf(enclosed: string): string {
  return /[0-9]/.exec(enclosed.normalize('NFKC'))?.[0] ?? '0';
}

const DIGIT = /^\p{Nd}$/u;
/** The signs that stand for one of ASCII, and Roman numbers letter by letter. */
const COMPATIBLE = /^[\uff01-\uff5e\u2160-\u217f]$/;

/** Digits of a script are ten consecutive code points, so the number of digits before one is its value. */
function valueOfDigit(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value % 10;
}

function foldUnit(unit: string): string {
  const known = folds.get(unit);
  if (known !== undefined) return known;
  const folded = OTHERS[unit] ?? baseOf(unit);
  folds.set(unit, folded);
  return folded;
}

/** The letter without its marks; the unit itself where that has another length, or is half of a character. */
function baseOf(unit: string): string {
  if (DIGIT.test(unit)) return String(valueOfDigit(unit));
  const normal = unit.normalize(COMPATIBLE.test(unit) ? 'NFKC' : 'NFD').charAt(0);
  const base = normal.toLowerCase();
  return base.length === 1 ? base : unit;
}
