import { CHAR } from '../../../text/char-kind.ts';

export function runEnd(text: string, start: number, code: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) === code) at++;
  return at;
}

/** For each run of back-quotes, by position: the start of the next run of the same length, or 0. */
export function codeSpanClosersOf(text: string): Int32Array {
  const closers = new Int32Array(text.length);
  const lastOfLength = new Map<number, number>();
  let start = text.indexOf('`');
  while (start >= 0) {
    const end = runEnd(text, start, CHAR.backQuote);
    const opener = lastOfLength.get(end - start);
    if (opener !== undefined) closers[opener] = start;
    lastOfLength.set(end - start, start);
    start = text.indexOf('`', end);
  }
  return closers;
}
