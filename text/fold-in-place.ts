import { valueOfDigit } from './fold.ts';

/*
 * These two foldings know the position of each character in the text. Figures are read in the first, in small letters without
 * accents, which is as long as the text and keeps signs that change a figure, like `²` and `º`. Identifiers are found in the
 * second, which keeps accents and case, because the values are put back, and drops invisible characters.
 */

const DIGIT = /^\p{Nd}$/u;

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
/** The key is a code unit, so the map stays small. */
const folds = new Map<string, string>();

/**
 * The text in small letters without accents, with as many UTF-16 units, so that an index in it is an index in the text. Signs
 * like `º` and `²` stay.
 */
export function foldInPlace(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text
    .replaceAll(RAISED, digitsOf)
    .replaceAll(ENCLOSED, digitOf)
    .replaceAll(BEYOND_BMP, digit => `0${valueOfDigit(digit)}`)
    .replaceAll(/[^\0-\x7f]/g, foldUnit)
    .toLowerCase();
}

/**
 * Several raised or lowered digits that are a number. A single one is a note, and after a letter or a digit it is a power: `km²`.
 */
const RAISED = /(?<![\p{L}\p{N}])[⁰¹²³⁴-⁹₀-₉]{2,}|(?<=\$ ?)[⁰¹²³⁴-⁹₀-₉]/gu;

function digitsOf(raised: string): string {
  return raised.normalize('NFKC');
}

/** `③`, `⒊`, `⑴`; at the start of a line it is the mark of a list item. */
const ENCLOSED = /(?<=\S ?)[\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf]/gu;
/** A digit of two code units gets a zero before it, so that the length stays the same. */
const BEYOND_BMP = /(?=[\u{10000}-\u{10ffff}])\p{Nd}/gu;

/** A number of several digits becomes another one, which is in no text either. */
function digitOf(enclosed: string): string {
  return /[0-9]/.exec(enclosed.normalize('NFKC'))?.[0] ?? '0';
}

/** Signs that mean one ASCII character, and single-character Roman numerals. */
const COMPATIBLE = /^[\uff01-\uff5e\u2160-\u217f]$/;

function foldUnit(unit: string): string {
  const known = folds.get(unit);
  if (known !== undefined) return known;
  const folded = OTHERS[unit] ?? baseOf(unit);
  folds.set(unit, folded);
  return folded;
}

/** The letter without its marks; the unit itself if the result has another length, or is half of a character. */
function baseOf(unit: string): string {
  if (DIGIT.test(unit)) return String(valueOfDigit(unit));
  const normal = unit.normalize(COMPATIBLE.test(unit) ? 'NFKC' : 'NFD').charAt(0);
  const base = normal.toLowerCase();
  return base.length === 1 ? base : unit;
}

export interface FoldedText {
  readonly text: string;
  /** Index in the original text of the start, and of the end, of a folded character. */
  startOf(at: number): number;
  endOf(at: number): number;
}

/** ASCII without the signs that begin an escape, and letters that never change. */
const UNCHANGED = /^[\0-$&-[\]-\x7f\u00a1-\u00ac\u00ae-\u00b1\u00b4-\u00b8\u00ba-\u02ff]*$/;
const FIRST_BEYOND_BMP = 0x1_0000;
const INVISIBLE = /^[\p{Cf}\p{Mn}\p{Me}]$/u;
const SPACE = /^\p{Zs}$/u;
const DASH = /^[\p{Pd}\u2212]$/u;
const ASCII = /^[!-~]$/;
const JSON_ESCAPE = /\\u([0-9a-f]{4})/iy;
const AT_SIGN_IN_URL = '%40';

/**
 * Folds a text to what a reader sees: digits and full-width characters as ASCII, spaces and dashes of one kind, nothing
 * invisible, and no escapes of JSON and URLs. Values found in it are cut out of the original text.
 */
export function foldWithPlaces(text: string): FoldedText {
  if (UNCHANGED.test(text)) return { text, startOf: at => at, endOf: at => at + 1 };
  let folded = '';
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < text.length; ) {
    const { character, length } = readCharacter(text, at);
    const shown = foldCharacter(character);
    for (let unit = 0; unit < shown.length; unit++) {
      starts.push(at);
      ends.push(at + length);
    }
    folded += shown;
    at += length;
  }
  return { text: folded, startOf: at => starts[at] ?? text.length, endOf: at => ends[at] ?? text.length };
}

function readCharacter(text: string, at: number): { character: string; length: number } {
  const code = text.charCodeAt(at);
  if (code === 0x5c) {
    JSON_ESCAPE.lastIndex = at;
    const hex = JSON_ESCAPE.exec(text)?.[1];
    if (hex !== undefined) return { character: String.fromCharCode(Number.parseInt(hex, 16)), length: 6 };
  }
  if (code === 0x25 && text.startsWith(AT_SIGN_IN_URL, at)) return { character: '@', length: 3 };
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return { character, length: character.length };
}

/** The key is a character code, so there is at most one entry for each character of the basic plane. */
const shownFolds = new Map<number, string>();

function foldCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return character;
  const known = shownFolds.get(code);
  if (known !== undefined) return known;
  const shown = readFold(character);
  if (code < FIRST_BEYOND_BMP) shownFolds.set(code, shown);
  return shown;
}

function readFold(character: string): string {
  if (INVISIBLE.test(character)) return '';
  if (SPACE.test(character)) return ' ';
  if (DASH.test(character)) return '-';
  return asciiOf(character);
}

/** The ASCII character that it means; itself if there is none. */
function asciiOf(character: string): string {
  const normal = character.normalize('NFKC');
  if (ASCII.test(normal)) return normal;
  return DIGIT.test(character) ? String(valueOfDigit(character)) : character;
}
