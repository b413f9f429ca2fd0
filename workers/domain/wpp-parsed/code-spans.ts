import { CHAR } from '../../../text/char-kind.ts';

export function runEnd(text: string, start: number, code: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) === code) at++;
  return at;
}

/** For each run of back-quotes, by position: the start of the next run of the same length, where there is one. */
export function codeSpanClosersOf(text: string): ReadonlyMap<number, number> {
  const closers = new Map<number, number>();
  const lastOfLength = new Map<number, number>();
  let start = text.indexOf('`');
  while (start >= 0) {
    const end = runEnd(text, start, CHAR.backQuote);
    const opener = lastOfLength.get(end - start);
    if (opener !== undefined) closers.set(opener, start);
    lastOfLength.set(end - start, start);
    start = text.indexOf('`', end);
  }
  return closers;
}
