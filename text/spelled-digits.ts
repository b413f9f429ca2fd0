import { foldText } from './fold.ts';
import { numberWords } from './number-words.ts';

/** Words that mean only a digit in Portuguese, and the words of Spanish and English. */
const OTHER_DIGITS = [
  ['cero'],
  ['uno', 'one'],
  ['dos', 'two'],
  ['three'],
  ['cuatro', 'four'],
  ['five'],
  ['meia', 'six'],
  ['siete', 'seven'],
  ['ocho', 'eight'],
  ['nine'],
];
/** Digit signs that Unicode normalization keeps: Chinese, and negative circled digits. */
const SIGNS = [
  '零〇🄌⓿',
  '一壹❶➀➊⓵',
  '二贰❷➁➋⓶',
  '三叁❸➂➌⓷',
  '四肆❹➃➍⓸',
  '五伍❺➄➎⓹',
  '六陆❻➅➏⓺',
  '七柒❼➆➐⓻',
  '八捌❽➇➑⓼',
  '九玖❾➈➒⓽',
];

/** Marks the digit of a number like `vinte` or `duzentos` that a following `e três` may replace. */
const OPEN = '\0';

const digitsByWord = new Map([
  ...OTHER_DIGITS.flatMap((words, digit) => words.map(word => [word, String(digit)] as const)),
  ...Array.from(numberWords, ([word, value]) => [word, digitsOf(value)] as const),
]);
const digitBySign = new Map(
  SIGNS.flatMap((signs, digit) => Array.from(signs, sign => [sign, String(digit)] as const)),
);
const MAX_WORD_LENGTH = Math.max(...Array.from(digitsByWord.keys(), word => word.length));

/** Characters that could hide a word: marks that look like a part of the letter, and invisible characters. */
const HIDDEN = /[\p{Mn}\p{Cf}]+/gu;

function digitsOf(value: number): string {
  if (value < 20) return String(value);
  return value < 100 ? `${value / 10}${OPEN}` : `${value / 100}${OPEN}${OPEN}`;
}

/** Returns the text in small letters without accents, with number words as digits: `vinte e três, sete` as `23, 7`. */
export function digitsFromWords(text: string): string {
  return foldText(text, HIDDEN)
    .replaceAll(OPEN, ' ')
    .replace(/[\p{No}\p{Nl}\p{So}\p{Lo}]/gu, sign => digitBySign.get(sign) ?? sign)
    .replace(/\p{L}+/gu, toDigits)
    .replace(/\0 e (\d)(?![\d\0])/gu, '$1')
    .replace(/\0\0 e (\d[\d\0])(?![\d\0])/gu, '$1')
    .replaceAll(OPEN, '0');
}

/** Splits number words without spaces, too; any other word stays. */
function toDigits(word: string): string {
  let digits = '';
  for (let from = 0; from < word.length; ) {
    const found = longestNumberAt(word, from);
    if (found === undefined) return word;
    digits += digitsByWord.get(found) ?? '';
    from += found.length;
  }
  return digits;
}

function longestNumberAt(word: string, from: number): string | undefined {
  for (let length = Math.min(MAX_WORD_LENGTH, word.length - from); length > 1; length--) {
    const candidate = word.slice(from, from + length);
    if (digitsByWord.has(candidate)) return candidate;
  }
  return undefined;
}
