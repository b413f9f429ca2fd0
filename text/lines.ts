/** Compares the length in code points, not in UTF-16 units. */
export function isLongerThan(limit: number, text: string): boolean {
  return text.length > limit && (text.length > 2 * limit || Array.from(text).length > limit);
}

/** Replaces line breaks and control characters by one blank, removes invisible ones, and truncates the text. */
export function oneLineOf(text: string, most: number): string {
  // This bounds the work on long texts.
  const line = text
    .slice(0, 4 * most)
    // A blank in their place would hide a value that is masked later, such as an e-mail address.
    .replaceAll(/\p{Cf}+/gu, '')
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** The same in quotes, with inner quotes replaced. */
export function quoteLine(text: string, most: number): string {
  return `"${oneLineOf(text, most).replaceAll('"', '”')}"`;
}
