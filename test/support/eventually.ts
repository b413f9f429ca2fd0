import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/** For what tells nobody that it happened: looks until it is so, and fails with what was seen last. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  isSo: (seen: T) => boolean,
  limitMs = 5_000,
): Promise<T> {
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > giveUpAt)
      throw new Error(`It did not come to pass in ${limitMs} ms: ${JSON.stringify(seen)}`);
    await delay(LOOK_EVERY_MS);
  }
}
