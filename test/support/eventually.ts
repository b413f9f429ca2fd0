import { setTimeout as delay } from 'node:timers/promises';

const POLL_EVERY_MS = 20;

/** Polls a condition that emits no event; on timeout fails with the last value. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  isSo: (seen: T) => boolean,
  limitMs = 45_000,
): Promise<T> {
  const giveUpAt = Date.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > giveUpAt)
      throw new Error(`The condition was not met within ${limitMs} ms: ${JSON.stringify(seen)}`);
    await delay(POLL_EVERY_MS);
  }
}
