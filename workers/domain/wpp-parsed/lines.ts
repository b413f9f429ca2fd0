import { CHAR } from '../../../text/char-kind.ts';

const CARRIAGE_RETURN = 13;

/** CR and the Unicode separators end a line, too. */
function isBreak(code: number): boolean {
  return code === CHAR.newline || code === CARRIAGE_RETURN || code === 0x2028 || code === 0x2029;
}

/** A generator, so that callers can yield between lines. */
export function* linesOf(text: string): Generator<string, void> {
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (!isBreak(text.charCodeAt(at))) continue;
    yield text.slice(from, at);
    if (text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === CHAR.newline) at++;
    from = at + 1;
  }
  yield text.slice(from);
}
