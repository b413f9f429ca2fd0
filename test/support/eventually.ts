import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const POLL_EVERY_MS = 20;

/** Polls until this value is seen, or one of which this is so; on timeout fails with the last one. */
export async function eventually<T>(
  look: () => T | PromiseLike<T>,
  wanted: NoInfer<T> | ((seen: T) => boolean),
  limitMs = 45_000,
): Promise<T> {
  const isSo = wanted instanceof Function ? wanted : (seen: T) => isDeepStrictEqual(seen, wanted);
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > giveUpAt)
      throw new Error(`The condition was not met within ${limitMs} ms: ${JSON.stringify(seen)}`);
    await delay(POLL_EVERY_MS);
  }
}
