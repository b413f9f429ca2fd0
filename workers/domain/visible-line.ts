/** Zero-width characters, marks of direction, control characters: a reader does not see them, a comparison does. */
const invisible = /[\p{DI}\p{Cf}\u2800]|(?![\t\n\v\f\r])\p{Cc}/gu;

export function hasInvisible(line: string): boolean {
  return line.search(invisible) >= 0;
}

/** The line as a reader sees it: without what is invisible, and without blanks around it. */
export function visibleLine(line: string): string {
  return line.replaceAll(invisible, '').trim();
}
