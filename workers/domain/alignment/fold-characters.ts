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
    .replaceAll(/[^\0-\x7f]/g, foldUnit)
    .toLowerCase();
}

/** Several raised or lowered digits that stand for themselves. One is a note, and behind a letter or a digit a power: `km²`. */
const RAISED = /(?<![\p{L}\p{N}])[⁰¹²³⁴-⁹₀-₉]{2,}|(?<=\$ ?)[⁰¹²³⁴-⁹₀-₉]/gu;

function digitsOf(raised: string): string {
  return raised.normalize('NFKC');
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
  const base = unit.normalize('NFD').charAt(0).toLowerCase();
  const digit = unit >= '\uff10' && unit <= '\uff19' ? String(unit.charCodeAt(0) - 0xff10) : base;
  return digit.length === 1 ? digit : unit;
}
