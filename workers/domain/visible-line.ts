/**
 * Zero-width characters, marks of direction, control characters, half a character, the sign for an unreadable one,
 * an accent without a letter: a reader does not see them or does not heed them, a comparison does.
 */
const invisible =
  /[\p{DI}\p{Cf}\p{Cs}\p{Co}\u2800\ufff9-\ufffd]|(?![\t\n\v\f\r])\p{Cc}|(?<![\p{L}\p{M}\p{N}])\p{M}+/gu;

export const INVISIBLE = 'there is an invisible or unreadable character in this line';

export function hasInvisible(line: string): boolean {
  return line.search(invisible) >= 0;
}

/** The line as a reader sees it: without what is invisible, and without blanks around it. */
export function visibleLine(line: string): string {
  return line.replaceAll(invisible, '').trim();
}
