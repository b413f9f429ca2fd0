import { endOfString } from './json-bounds.ts';

const QUOTE = 0x22;

/** Shorter integers are always exact in JavaScript. */
const MIN_DIGITS = 16;

/**
 * Returns the JSON with every integer beyond 2^53 as a string: parsed as a number it would be rounded, and two record ids
 * could become equal. Undefined if there is none. `json` must be well-formed.
 */
export function quoteLargeIntegers(json: string): string | undefined {
  let exact = '';
  let copied = 0;
  let at = 0;
  while (at < json.length) {
    const char = json.charCodeAt(at);
    if (char === QUOTE) at = endOfString(json, at) + 1;
    else if (isOfNumber(char)) {
      const end = endOfNumber(json, at);
      const number = json.slice(at, end);
      if (number.length >= MIN_DIGITS && /^-?[0-9]+$/.test(number) && !Number.isSafeInteger(Number(number))) {
        exact += `${json.slice(copied, at)}"${number}"`;
        copied = end;
      }
      at = end;
    } else at += 1;
  }
  return copied === 0 ? undefined : exact + json.slice(copied);
}

function endOfNumber(json: string, start: number): number {
  let at = start;
  while (at < json.length && isOfNumber(json.charCodeAt(at))) at += 1;
  return at;
}

/** Digits, sign, point and exponent; also matches the "e" of true and false, which is harmless. */
function isOfNumber(char: number): boolean {
  return (
    (char >= 0x30 && char <= 0x39) ||
    char === 0x2d ||
    char === 0x2b ||
    char === 0x2e ||
    (char | 0x20) === 0x65
  );
}
