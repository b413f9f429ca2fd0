import { CHAR, isAsciiSign, isSpace, isWordChar, readEntityAt } from './char-kind.ts';

/**
 * Closing brackets by code, with their opening ones. An unbalanced closing bracket ends the address: `(see
 * https://a.b)`.
 */
const CLOSER_OF = new Map<number, number>([
  [CHAR.openParen, CHAR.closeParen],
  [CHAR.openBracket, CHAR.closeBracket],
  [CHAR.openBrace, CHAR.closeBrace],
]);
const CLOSERS: ReadonlySet<number> = new Set(CLOSER_OF.values());
const STOPS = new Set(['<', '>', '"', '`', '|', '«', '»'].map(sign => sign.charCodeAt(0)));
const TRAILING = new Set(Array.from(`.,;:!?'*_~([{\\&`, sign => sign.charCodeAt(0)));

/** The second letters of `https://` and `www.`. */
const SECOND_LETTERS = 'tTwW';

/** Length of the prefix (`https://`, `www.`) at this position; 0 without one. */
function openingLength(text: string, at: number): number {
  // Most words with these first letters are no address, so this avoids making a string.
  if (!SECOND_LETTERS.includes(text.charAt(at + 1))) return 0;
  const head = text.slice(at, at + 8).toLowerCase();
  if (head === 'https://') return 8;
  if (head.startsWith('http://')) return 7;
  const inWord = at > 0 && (isWordChar(text.charCodeAt(at - 1)) || '/@._-'.includes(text.charAt(at - 1)));
  return head.startsWith('www.') && !inWord ? 4 : 0;
}

function stops(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === CHAR.star) return text.charCodeAt(at + 1) === CHAR.star;
  // An address stops at curly quotes, dashes, the ellipsis, zero-width spaces, arrows and symbols, and at emojis.
  if ((code >= 0x2000 && code <= 0x2bff) || (code >= 0xd800 && code <= 0xdfff)) return true;
  if (STOPS.has(code) || isSpace(code)) return true;
  return code === CHAR.amp && /[<>" ]/.test(readEntityAt(text, at)?.text ?? '');
}

function rawEnd(text: string, from: number): number {
  const open: number[] = [];
  let at = from;
  for (; at < text.length && !stops(text, at); at++) {
    const code = text.charCodeAt(at);
    const closer = CLOSER_OF.get(code);
    if (closer !== undefined) open.push(closer);
    else if (CLOSERS.has(code) && open.pop() !== code) break;
  }
  return at;
}

/** The end of the bare address that starts here, without trailing punctuation; `at` if none starts. */
export function findBareUrlEnd(text: string, at: number): number {
  const opening = openingLength(text, at);
  const from = at + opening;
  if (opening === 0 || !isWordChar(text.charCodeAt(from))) return at;
  let end = rawEnd(text, from);
  while (end > from && TRAILING.has(text.charCodeAt(end - 1))) end--;
  return end;
}

/** Whether a browser can open it; any other target stays text. */
export function isWebUrl(target: string): boolean {
  const opening = openingLength(target, 0);
  return opening > 0 && isWordChar(target.charCodeAt(opening));
}

/**
 * Characters that end a copied address or are invisible in it: quotes, angle brackets, white space, control and
 * format characters.
 */
const UNSAFE = /["'<>`\s\p{Cc}\p{Cf}]/gu;

function percentEncode(sign: string): string {
  return [...new TextEncoder().encode(sign)]
    .map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

/** Removes user information before the `@`, which looks like a host but is not. Browsers treat `\` like `/`. */
function showTrueHost(url: string): string {
  const start = url.indexOf('//') + 2;
  const length = url.slice(start).search(/[/\\?#]/);
  const end = length < 0 ? url.length : start + length;
  const host = url.slice(
    url.lastIndexOf('@', end - 1) < start ? start : url.lastIndexOf('@', end - 1) + 1,
    end,
  );
  const path = url.slice(end).replace(/^\\/, '/').replaceAll('\\', '%5C');
  const trueUrl = url.slice(0, start) + host + path;
  return isWebUrl(trueUrl)
    ? trueUrl
    : url.slice(0, start) + url.slice(start, end).replaceAll('@', '%40') + path;
}

/** Removes Markdown escapes, encodes spaces and quotes, completes `www.`, and shows the true host. */
export function normalizeUrl(raw: string): string {
  let url = raw;
  if (url.includes('\\'))
    url = url.replace(/\\(.)/gu, (pair, sign: string) => (isAsciiSign(sign.charCodeAt(0)) ? sign : pair));
  if (url.includes('&')) url = url.replaceAll('&amp;', '&');
  if (/^www\./i.test(url)) url = `https://${url}`;
  return showTrueHost(url.replace(/\s+/g, '%20').replace(UNSAFE, percentEncode));
}
