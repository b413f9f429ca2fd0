/** Compares the length in code points, not in UTF-16 units. */
export function isLongerThan(limit: number, text: string): boolean {
  return text.length > limit && (text.length > 2 * limit || Array.from(text).length > limit);
}
