/**
 * Zero-width, direction and control characters, lone surrogates, the replacement character, an accent without a
 * letter: invisible to a reader, but not to a comparison.
 */
const invisible =
  /[\p{DI}\p{Cf}\p{Cs}\p{Co}\u2800\ufff9-\ufffd]|(?![\t\n\v\f\r])\p{Cc}|(?<![\p{L}\p{M}\p{N}])\p{M}+/gu;

export const INVISIBLE = 'there is an invisible or unreadable character in this line';

export function hasInvisible(line: string): boolean {
  return line.search(invisible) >= 0;
}

/** The line without invisible characters, trimmed. */
export function toVisibleLine(line: string): string {
  return line.replaceAll(invisible, '').trim();
}
