import { type BrokenRule, broken } from '../../platform/field-error.ts';
import { MAX_BODY_SIZE } from '../../queues/contract/body-limit.ts';

/** Maximum nesting of lists and objects: later code walks a body recursively. */
export const MAX_DEPTH = 32;
/**
 * Maximum number of values in a body, including lists and objects. Measured with the most expensive body, nested objects
 * with one new name each: JSON.parse blocks the event loop for 29 ms with 20,000 of them, and for 75 ms with 50,000.
 */
export const MAX_VALUES = 20_000;

export const tooDeep = broken('too-large', {
  limit: MAX_DEPTH,
  message: `is nested over ${MAX_DEPTH} levels`,
});
export const tooMany = broken('too-large', {
  limit: MAX_VALUES,
  message: `holds over ${MAX_VALUES} values`,
});

export const bodyBounds = `At most ${MAX_BODY_SIZE}, ${MAX_VALUES} values, and ${MAX_DEPTH} levels of nested lists and objects.`;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LIST_START = 0x5b;
const LIST_END = 0x5d;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;
/** The highest code of white space between values. */
const BLANK = 0x20;

/**
 * Checks the bounds of a JSON text before it is parsed; undefined if it is within them. For text that is not JSON any
 * result is fine, because parsing will fail.
 */
export function findBoundsError(json: string): BrokenRule | undefined {
  let depth = 0;
  // Each value follows a comma, or a bracket if it is the first of a list or object.
  let values = 0;
  let isFirst = true;
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charCodeAt(at);
    if (char <= BLANK) continue;
    const isEnd = char === LIST_END || char === OBJECT_END;
    if (char === COMMA || (isFirst && !isEnd)) values += 1;
    isFirst = false;
    if (char === QUOTE) at = endOfString(json, at);
    else if (char === LIST_START || char === OBJECT_START) {
      depth += 1;
      isFirst = true;
    } else if (isEnd) depth -= 1;
    if (depth > MAX_DEPTH) return tooDeep;
    if (values > MAX_VALUES) return tooMany;
  }
  return undefined;
}

/** The index of the closing quote of a JSON string. Searching anew for each of 11,000,000 escaped quotes took 280 ms. */
function endOfString(json: string, start: number): number {
  let at = json.indexOf('"', start + 1);
  if (at < 0) return json.length;
  let escapes = 0;
  while (json.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
  if (escapes % 2 === 0) return at;
  for (at += 1; at < json.length && json.charCodeAt(at) !== QUOTE; at += 1)
    if (json.charCodeAt(at) === BACKSLASH) at += 1;
  return Math.min(at, json.length);
}

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
