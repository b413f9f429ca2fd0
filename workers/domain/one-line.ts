/** Line breaks, control characters and whatever a reader does not see become one blank; what is too long is cut. */
export function oneLineOf(text: string, most: number): string {
  // No text has more to show than this, and looking at the rest would take its time.
  const line = text
    .slice(0, 4 * most)
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** The same between quotes that nothing in it ends. */
export function quoteLine(text: string, most: number): string {
  return `"${oneLineOf(text, most).replaceAll('"', '”')}"`;
}
