/** In characters as people count them, not in halves of surrogate pairs. */
export function isLongerThan(limit: number, text: string): boolean {
  return text.length > limit && (text.length > 2 * limit || Array.from(text).length > limit);
}
