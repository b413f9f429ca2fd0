import { createHash, timingSafeEqual } from 'node:crypto';

/** Constant time: the duration must not reveal how many characters match. */
export function isSameSecret(guess: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(guess), digest(expected));
}
