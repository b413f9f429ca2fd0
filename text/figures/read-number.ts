import { type ReadNumber, readNumberWords, scaleOf } from '../number-words.ts';
import { type Token, tokenAt } from './tokens.ts';
import { currencyOf } from './units.ts';

/** A number of a text, in digits, words or both (`12 mil`). */
export interface NumberToken {
  readonly value: number;
  /** Other possible values of the digits, as for `1,200` in English. */
  readonly otherValues: readonly number[];
  readonly isInWords: boolean;
  /** Whether it has only digits. */
  readonly isPlain: boolean;
  readonly from: number;
  readonly next: number;
}

const PLAIN = /^[0-9]{1,18}$/;
const GROUPED = /^[0-9]{1,3}(?:\.[0-9]{3}){1,5}(?:,[0-9]{1,6})?$/;
const GROUPED_IN_ENGLISH = /^[0-9]{1,3}(?:,[0-9]{3}){1,5}(?:\.[0-9]{1,6})?$/;
const DECIMAL = /^[0-9]{1,15}[.,][0-9]{1,9}$/;
const THREE_DIGITS = /^[0-9]{3}(?:,[0-9]{2})?$/;
const SHORT = /^[0-9]{1,3}$/;

export function readNumber(tokens: readonly Token[], from: number): NumberToken | undefined {
  const token = tokenAt(tokens, from);
  if (token.type === 'word') {
    const read = readNumberWords(tokens, from) ?? readRomanMoney(tokens, from);
    return read && { ...read, otherValues: [], isInWords: true, isPlain: false, from };
  }
  if (token.type !== 'number') return undefined;
  const values = valuesOf(token.text);
  const [value] = values;
  if (value === undefined) return undefined;
  const isPlain = PLAIN.test(token.text);
  const scaled = addScale(tokens, from + 1, value);
  if (scaled) return { ...scaled, otherValues: [], isInWords: false, isPlain: false, from };
  return { value, otherValues: values.slice(1), isInWords: false, isPlain, from, next: from + 1 };
}

const ROMAN = /^m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/;
const ROMAN_DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ i: 1, v: 5, x: 10, l: 50, c: 100, d: 500, m: 1_000 }),
);

/** `XX` stands for a number that the text leaves open. */
export function isRomanNumber(word: string): boolean {
  return word.length > 1 && ROMAN.test(word) && !/^x+$/.test(word);
}

/** Reads Roman numerals only as money: as words they are too common. */
function readRomanMoney(tokens: readonly Token[], from: number): ReadNumber | undefined {
  const { text } = tokenAt(tokens, from);
  if (!isRomanNumber(text)) return undefined;
  const isMoney = [from - 1, from + 1].some(at => currencyOf(tokenAt(tokens, at).text) !== undefined);
  if (!isMoney) return undefined;
  const digits = Array.from(text, letter => ROMAN_DIGITS.get(letter) ?? 0);
  const value = digits.reduce((sum, digit, at) => sum + (digit < (digits[at + 1] ?? 0) ? -digit : digit), 0);
  return { value, next: from + 1 };
}

/** The values of digits with dots and commas, the likeliest first; empty if they are something else. */
export function valuesOf(text: string): number[] {
  if (PLAIN.test(text)) return [Number(text)];
  const isGrouped = GROUPED.test(text);
  const isEnglish = GROUPED_IN_ENGLISH.test(text);
  const values: number[] = [];
  if (isGrouped) values.push(Number(text.replaceAll('.', '').replace(',', '.')));
  if (isEnglish && text.includes('.')) values.push(Number(text.replaceAll(',', '')));
  if (DECIMAL.test(text) && !(isGrouped && text.indexOf('.') === text.length - 4))
    values.push(Number(text.replace(',', '.')));
  if (isEnglish && !text.includes('.')) values.push(Number(text.replaceAll(',', '')));
  return values;
}

/** Reads the scale: `12 mil`, `1,2 milhão`, `12 mil e quinhentos`. */
function addScale(tokens: readonly Token[], at: number, value: number) {
  const scale = scaleOf(tokenAt(tokens, at));
  if (scale === undefined) return undefined;
  const total = Math.round(value * scale * 100) / 100;
  const rest = tokenAt(tokens, at + 1).text === 'e' ? readNumberWords(tokens, at + 2) : undefined;
  if (rest && rest.value > 0 && rest.value < scale) return { value: total + rest.value, next: rest.next };
  return { value: total, next: at + 1 };
}

/** Reads digits in separate groups, as people write money: `1 200,50`. */
export function readSpacedNumber(tokens: readonly Token[], from: number): NumberToken | undefined {
  if (!SHORT.test(tokenAt(tokens, from).text)) return undefined;
  let next = from + 1;
  let digits = tokenAt(tokens, from).text;
  while (next < from + 5 && THREE_DIGITS.test(tokenAt(tokens, next).text) && !digits.includes(',')) {
    digits += tokenAt(tokens, next).text;
    next += 1;
  }
  if (next === from + 1) return undefined;
  const value = Number(digits.replace(',', '.'));
  return { value, otherValues: [], isInWords: false, isPlain: false, from, next };
}
