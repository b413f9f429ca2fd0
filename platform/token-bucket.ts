/** Limits how much may happen: so much at once, and so much per second after it. */
export interface TokenBucket {
  /** Whether so much may happen now; then it is counted. */
  take(count: number): boolean;
}

export function makeTokenBucket(
  max: number,
  perSecond: number,
  now: () => number = () => performance.now(),
): TokenBucket {
  let left = max;
  let seenAt = now();
  return {
    take(count) {
      const at = now();
      left = Math.min(max, left + ((at - seenAt) / 1_000) * perSecond);
      seenAt = at;
      if (left < count) return false;
      left -= count;
      return true;
    },
  };
}
