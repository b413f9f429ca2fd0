import { isWebUrl, normalizeUrl } from '../../../text/bare-url.ts';
import { CHAR, isSpace } from '../../../text/char-kind.ts';

export interface LinkTarget {
  url: string;
  title: string;
}

/** Returns for each `(`, by position, its `)` on the same line, if any: computed once for the whole text. */
export function closingParensOf(text: string): ReadonlyMap<number, number> {
  const closers = new Map<number, number>();
  let open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === CHAR.backslash) at++;
    else if (code === CHAR.openParen) open.push(at);
    else if (code === CHAR.newline) open = [];
    else if (code === CHAR.closeParen) {
      const opener = open.pop();
      if (opener !== undefined) closers.set(opener, at);
    }
  }
  return closers;
}

function titleOf(rest: string): string | undefined {
  if (rest === '') return '';
  const [first, last] = [rest[0] ?? '', rest.at(-1) ?? ''];
  const isQuoted = rest.length > 1 && (first === '(' ? last === ')' : last === first && `'"`.includes(first));
  return isQuoted ? rest.slice(1, -1).trim() : undefined;
}

/** Far shorter than the length that masking searches for the beginning of an address (`token-address.ts`). */
const MAX_SPACED_LENGTH = 500;

/**
 * Reads the content of a link's brackets. Nested brackets make the requested ranges overlap, so positions found once are cached
 * for the next range. Must be called from left to right.
 */
export class TargetReader {
  readonly #text: string;
  /** The first space at or after the last requested position, and the first other character after it. */
  #space = -1;
  #afterSpace = -1;
  #bracket = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Accepts a short address with spaces, but not prose in brackets. */
  read(from: number, to: number): LinkTarget | undefined {
    const text = this.#text;
    let [start, end] = [from, to];
    while (start < end && isSpace(text.charCodeAt(start))) start++;
    while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
    if (text.charCodeAt(start) === CHAR.less && start < end) return this.#readAngled(start, end);
    this.#seekSpace(start);
    const urlEnd = Math.min(this.#space, end);
    const title = titleOf(text.slice(Math.min(this.#afterSpace, end), end));
    if (title !== undefined) return { url: text.slice(start, urlEnd), title };
    const url = text.slice(start, end);
    const isAddress = isWebUrl(url) && url.length <= MAX_SPACED_LENGTH && this.#nextBracket(start) >= end;
    return isAddress ? { url, title: '' } : undefined;
  }

  #readAngled(start: number, end: number): LinkTarget | undefined {
    const text = this.#text;
    let close = start + 1;
    while (close < end && !'<>\n'.includes(text.charAt(close))) close++;
    if (close >= end || text.charCodeAt(close) !== CHAR.greater) return undefined;
    const title = titleOf(text.slice(close + 1, end).trim());
    return title === undefined ? undefined : { url: text.slice(start + 1, close), title };
  }

  #seekSpace(from: number): void {
    if (this.#space >= from) return;
    const text = this.#text;
    let at = from;
    while (at < text.length && !isSpace(text.charCodeAt(at))) at++;
    this.#space = at;
    while (at < text.length && isSpace(text.charCodeAt(at))) at++;
    this.#afterSpace = at;
  }

  #nextBracket(from: number): number {
    if (this.#bracket >= from) return this.#bracket;
    const found = this.#text.indexOf('[', from);
    return (this.#bracket = found < 0 ? this.#text.length : found);
  }
}

export interface LinkDefinition extends LinkTarget {
  label: string;
  /** The original line, to recognize it later. */
  line: string;
}

export const MAX_LABEL_LENGTH = 200;

/** Labels are case-insensitive, as in CommonMark. Undefined for a label that is too long, and for footnotes. */
export function labelOf(text: string): string | undefined {
  if (text.length > MAX_LABEL_LENGTH || text.startsWith('^')) return undefined;
  return text.trim().replace(/\s+/g, ' ').toLowerCase() || undefined;
}

/** Reads a line such as `[label]: https://a.b "title"`. */
export function linkDefinitionOf(line: string): LinkDefinition | undefined {
  if (!line.startsWith('[')) return undefined;
  const close = line.slice(0, MAX_LABEL_LENGTH + 2).indexOf(']:');
  const label = close < 0 ? undefined : labelOf(line.slice(1, close));
  const target = label === undefined ? undefined : new TargetReader(line).read(close + 2, line.length);
  if (label === undefined || !target || !isWebUrl(target.url) || target.url.includes(' ')) return undefined;
  return { label, url: normalizeUrl(target.url), title: target.title, line };
}
