import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const POLL_EVERY_MS = 20;

/** These members of an object or list. */
type Members<T> = Partial<Pick<T, keyof T>>;

/**
 * Polls a condition that emits no event, until what it sees is so, equals this, or has these members; on timeout fails with the last
 * value.
 */
export function eventually<T>(
  look: () => T | PromiseLike<T>,
  isSo: (seen: T) => boolean,
  limitMs?: number,
): Promise<T>;
export function eventually<T>(
  look: () => T | PromiseLike<T>,
  wanted: NoInfer<T> | Members<NoInfer<T>>,
  limitMs?: number,
): Promise<T>;
export async function eventually(look: () => unknown, wanted: unknown, limitMs = 45_000): Promise<unknown> {
  const isSo = typeof wanted === 'function' ? wanted : (seen: unknown) => isOrHas(seen, wanted);
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > giveUpAt)
      throw new Error(`The condition was not met within ${limitMs} ms: ${JSON.stringify(seen)}`);
    await delay(POLL_EVERY_MS);
  }
}

function isOrHas(seen: unknown, wanted: unknown): boolean {
  if (isDeepStrictEqual(seen, wanted)) return true;
  if (wanted === null || typeof wanted !== 'object' || Array.isArray(wanted)) return false;
  return Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(Object(seen)[key], value));
}
