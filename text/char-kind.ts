import { decodeHTMLStrict } from 'entities/decode';

/** Character codes of Markdown marks: the scanners compare numbers, not strings. */
export const CHAR = {
  newline: 10,
  space: 32,
  bang: 33,
  dollar: 36,
  amp: 38,
  openParen: 40,
  closeParen: 41,
  star: 42,
  colon: 58,
  less: 60,
  equals: 61,
  greater: 62,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  underscore: 95,
  backQuote: 96,
  openBrace: 123,
  pipe: 124,
  closeBrace: 125,
  tilde: 126,
} as const;

/** Spaces beyond ASCII, except those from U+2000 to U+200A. */
const WIDE_SPACES = new Set([0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]);
const WIDE_SIGN = /[\p{P}\p{S}]/u;
const WIDE_LETTER = /[\p{L}\p{N}]/u;

/** Zero-width joiners and direction marks, which are treated like spaces. */
const ZERO_WIDTH = new Set([0x00ad, 0x200b, 0x200e, 0x200f, 0x2060, 0xfeff]);

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isAsciiLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

export function isSpace(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return (code >= 0x2000 && code <= 0x200a) || WIDE_SPACES.has(code);
}

/** Whether the character is invisible: a space, or a zero-width one. */
export function isBlankCode(code: number): boolean {
  return isSpace(code) || (code > 127 && ZERO_WIDTH.has(code));
}

/** Whether Markdown can escape the character with a backslash. */
export function isAsciiSign(code: number): boolean {
  return code > 32 && code < 127 && !isDigit(code) && !isAsciiLetter(code);
}

/** Takes a code point, not a UTF-16 unit, so that an emoji counts as a symbol. */
export function isSign(codePoint: number): boolean {
  return codePoint < 128 ? isAsciiSign(codePoint) : WIDE_SIGN.test(String.fromCodePoint(codePoint));
}

export function isWordChar(code: number): boolean {
  if (code < 128) return isDigit(code) || isAsciiLetter(code);
  return WIDE_LETTER.test(String.fromCharCode(code));
}

/** The longest entity name of HTML has 31 letters. */
const ENTITY = /&#?[a-z0-9]{1,31};/iy;

/** The entity at this `&`; an unknown one stays as written. */
export function readEntityAt(text: string, at: number): { end: number; text: string } | undefined {
  ENTITY.lastIndex = at;
  const [written = ''] = ENTITY.exec(text) ?? [];
  const decoded = decodeHTMLStrict(written);
  if (decoded === written) return undefined;
  return { end: at + written.length, text: isSpace(decoded.charCodeAt(0)) ? ' ' : decoded };
}
