/*
 * A text as a reader sees it: digits and full-width characters as ASCII, spaces and dashes of one kind, nothing invisible, and
 * without the escapes of JSON and URLs. Identifiers are found in it, and cut out of the text as it is written.
 */

export interface FoldedText {
  readonly text: string;
  /** Where a character of the folded text begins in the text, and where it ends. */
  startOf(at: number): number;
  endOf(at: number): number;
}

/** ASCII without the signs that begin an escape, and letters that stay as they are. */
const UNCHANGED = /^[\0-$&-[\]-\x7f\u00a1-\u00ac\u00ae-\u00b1\u00b4-\u00b8\u00ba-\u02ff]*$/;
const FIRST_BEYOND_BMP = 0x1_0000;
const INVISIBLE = /^[\p{Cf}\p{Mn}\p{Me}]$/u;
const SPACE = /^\p{Zs}$/u;
const DASH = /^[\p{Pd}\u2212]$/u;
const DIGIT = /^\p{Nd}$/u;
const ASCII = /^[!-~]$/;
const JSON_ESCAPE = /\\u([0-9a-f]{4})/iy;
const AT_SIGN_IN_URL = '%40';

export function foldText(text: string): FoldedText {
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

/** By code; at most one entry for each character of the basic plane. */
const folds = new Map<number, string>();

function foldCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return character;
  const known = folds.get(code);
  if (known !== undefined) return known;
  const shown = readFold(character);
  if (code < FIRST_BEYOND_BMP) folds.set(code, shown);
  return shown;
}

function readFold(character: string): string {
  if (INVISIBLE.test(character)) return '';
  if (SPACE.test(character)) return ' ';
  if (DASH.test(character)) return '-';
  return asciiOf(character);
}

/** The ASCII character that it stands for; itself where there is none. */
function asciiOf(character: string): string {
  const normal = character.normalize('NFKC');
  if (ASCII.test(normal)) return normal;
  return DIGIT.test(character) ? String(valueOfDigit(character)) : character;
}

/** Digits of a script are ten consecutive code points, so the number of digits before one is its value. */
function valueOfDigit(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value % 10;
}
