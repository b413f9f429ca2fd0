import { CHAR, isAsciiSign, isSpace, isWordChar } from './char-kind.ts';
import { entityAt } from './entity.ts';

/** Closed when unbalanced, so that `(see https://a.b)` keeps its bracket out of the address. */
const CLOSER_OF = new Map<number, number>([
  [CHAR.openParen, CHAR.closeParen],
  [CHAR.openBracket, CHAR.closeBracket],
  [CHAR.openBrace, CHAR.closeBrace],
]);
const CLOSERS: ReadonlySet<number> = new Set(CLOSER_OF.values());
const STOPS = new Set(['<', '>', '"', '`', '|', '«', '»'].map(sign => sign.charCodeAt(0)));
const TRAILING = new Set(Array.from(`.,;:!?'*_~([{\\&`, sign => sign.charCodeAt(0)));

/** Length of what opens an address at this place (`https://`, `www.`), or 0. */
function openingLength(text: string, at: number): number {
  const head = text.slice(at, at + 8).toLowerCase();
  if (head === 'https://') return 8;
  if (head.startsWith('http://')) return 7;
  const inWord = at > 0 && (isWordChar(text.charCodeAt(at - 1)) || '/@._-'.includes(text.charAt(at - 1)));
  return head.startsWith('www.') && !inWord ? 4 : 0;
}

function stops(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === CHAR.star) return text.charCodeAt(at + 1) === CHAR.star;
  // Curly quotes, dashes, the ellipsis, spaces without width, arrows and signs; then the emojis.
  if ((code >= 0x2000 && code <= 0x2bff) || (code >= 0xd800 && code <= 0xdfff)) return true;
  if (STOPS.has(code) || isSpace(code)) return true;
  return code === CHAR.amp && /[<>" ]/.test(entityAt(text, at)?.text ?? '');
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

/** Where the bare address that starts here ends, its trailing punctuation left out; or `at` when none starts here. */
export function bareUrlEnd(text: string, at: number): number {
  const opening = openingLength(text, at);
  const from = at + opening;
  if (opening === 0 || !isWordChar(text.charCodeAt(from))) return at;
  let end = rawEnd(text, from);
  while (end > from && TRAILING.has(text.charCodeAt(end - 1))) end--;
  return end;
}

/** What can be opened by a browser; everything else stays text. */
export function isWebUrl(target: string): boolean {
  const opening = openingLength(target, 0);
  return opening > 0 && isWordChar(target.charCodeAt(opening));
}

/** What would end the address for whoever copies it, or is not to be seen in it: quotes, angles, space, signs without width. */
const UNSAFE = /["'<>`\s\p{Cc}\p{Cf}]/gu;

function percentEncode(sign: string): string {
  return [...new TextEncoder().encode(sign)]
    .map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

/** Without what stands before the `@`: it looks like a host and is none. A browser reads `\` as it reads `/`. */
function withTrueHost(url: string): string {
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

/** Escapes a model wrote into the address are taken out, spaces and quotes encoded, `www.` completed, the true host shown. */
export function normaliseUrl(raw: string): string {
  let url = raw;
  if (url.includes('\\'))
    url = url.replace(/\\(.)/gu, (pair, sign: string) => (isAsciiSign(sign.charCodeAt(0)) ? sign : pair));
  if (url.includes('&')) url = url.replaceAll('&amp;', '&');
  if (/^www\./i.test(url)) url = `https://${url}`;
  return withTrueHost(url.replace(/\s+/g, '%20').replace(UNSAFE, percentEncode));
}
