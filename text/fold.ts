/** Combining marks, and two characters that become marks under NFKC. No language uses more than 30 in a row. */
const excessMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
const beyondLatin = /[\u0300-\uffff]/;
// oxlint-disable-next-line no-control-regex
const ascii = /^[\0-\x7f]*$/;

/**
 * Unicode normalization in linear time: ordering a run of marks takes quadratic time, so the first 30 of each run
 * are kept, as in the stream-safe format of Unicode.
 */
export function normalizeText(text: string, form: 'NFD' | 'NFKC'): string {
  return (beyondLatin.test(text) ? text.replace(excessMarks, '$1') : text).normalize(form);
}

/**
 * The accents of Latin, Greek and Cyrillic letters, which `fold_text` of PostgreSQL also removes from passages. Marks of other
 * scripts are vowels: a word without them is another word.
 */
const ACCENTS = /[\u0300-\u036f]+/g;

/**
 * The form in which texts are compared: small letters without accents, or without `dropped`. Its length differs; if indexes
 * matter, use `fold-in-place.ts`.
 */
export function foldText(text: string, dropped = ACCENTS): string {
  return (ascii.test(text) ? text : normalizeText(text, 'NFD').replaceAll(dropped, '')).toLowerCase();
}

/**
 * Letters of other fonts and widths, with the digits beside them. Raised and enclosed digits are none of them: in `40¹` and `40①`
 * they are notes, and the number is 40.
 */
const STYLED =
  /[\u210a-\u2115\u2119-\u211d\u2124-\u2139\u24b6-\u24e9\ufb00-\ufb06\uff10-\uff5a\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f149}]/gu;
/** They are drawn as letters of the alphabet, but Unicode has them as letters of their own. */
const SMALL_CAPITALS = 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ';
const CAPITALS = 'ABCDEFGHIJKLMNOPRSTUVWYZ';
const SMALL_CAPITAL = new RegExp(`[${SMALL_CAPITALS}]`, 'g');
const INVISIBLE = /[\p{Cf}\ufe00-\ufe0f]+/gu;

/** The text in the letters that a reader sees: of one font and width, and nothing invisible between them. */
export function plainLetters(text: string): string {
  if (ascii.test(text)) return text;
  return text
    .replaceAll(INVISIBLE, '')
    .replaceAll(STYLED, letter => letter.normalize('NFKC'))
    .replaceAll(SMALL_CAPITAL, letter => CAPITALS.charAt(SMALL_CAPITALS.indexOf(letter)));
}

/** The map stays small: there are a few hundred digits. */
const digitValues = new Map<string, number>();

/**
 * The value of a digit of any script. The digits of a script are ten consecutive code points, so counting those before it gives
 * the value.
 */
export function valueOfDigit(digit: string): number {
  const known = digitValues.get(digit);
  if (known !== undefined) return known;
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  digitValues.set(digit, before % 10);
  return before % 10;
}
