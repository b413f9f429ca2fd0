import { isWebUrl, normalisedUrl } from './bare-url.ts';
import { CHAR, isSpace } from './char-kind.ts';

export interface LinkTarget {
  url: string;
  title: string;
}

/** For each `(`, by its place, its `)` on the same line, or 0: found once for the whole text, so that no link looks for its own. */
export function closingParens(text: string): Int32Array {
  const closers = new Int32Array(text.length);
  let open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === CHAR.backslash) at++;
    else if (code === CHAR.openParen) open.push(at);
    else if (code === CHAR.newline) open = [];
    else if (code === CHAR.closeParen) {
      const opener = open.pop();
      if (opener !== undefined) closers[opener] = at;
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

function firstSpace(text: string): number {
  for (let at = 0; at < text.length; at++) if (isSpace(text.charCodeAt(at))) return at;
  return text.length;
}

function angledTarget(inner: string): LinkTarget | undefined {
  const close = inner.slice(1).search(/[<>\n]/) + 1;
  if (inner.charCodeAt(close) !== CHAR.greater) return undefined;
  const title = titleOf(inner.slice(close + 1).trim());
  return title === undefined ? undefined : { url: inner.slice(1, close), title };
}

/** What stands between the brackets of a link. An address with spaces in it is taken, prose in brackets is not. */
export function linkTargetOf(between: string): LinkTarget | undefined {
  const inner = between.trim();
  if (inner.startsWith('<')) return angledTarget(inner);
  const urlEnd = firstSpace(inner);
  const title = titleOf(inner.slice(urlEnd).trim());
  if (title !== undefined) return { url: inner.slice(0, urlEnd), title };
  return isWebUrl(inner) && !inner.includes('[') ? { url: inner, title: '' } : undefined;
}

export interface LinkDefinition extends LinkTarget {
  label: string;
  /** As it stands in the answer, to know the line again. */
  line: string;
}

export const LONGEST_LABEL = 200;

/** Labels are compared without case, as CommonMark does; one that is too long, or a footnote's, is none. */
export function labelOf(text: string): string | undefined {
  if (text.length > LONGEST_LABEL || text.startsWith('^')) return undefined;
  return text.trim().replace(/\s+/g, ' ').toLowerCase() || undefined;
}

/** Reads a line such as `[label]: https://a.b "title"`. */
export function linkDefinitionOf(line: string): LinkDefinition | undefined {
  if (!line.startsWith('[')) return undefined;
  const close = line.slice(0, LONGEST_LABEL + 2).indexOf(']:');
  const label = close < 0 ? undefined : labelOf(line.slice(1, close));
  const target = label === undefined ? undefined : linkTargetOf(line.slice(close + 2));
  if (label === undefined || !target || !isWebUrl(target.url) || target.url.includes(' ')) return undefined;
  return { label, url: normalisedUrl(target.url), title: target.title, line };
}
