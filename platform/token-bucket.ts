/** Limits how much may happen: so much at once, and so much per second after it. */
export interface TokenBucket {
  /** Whether so much may happen now; then it is counted. */
  take(count: number): boolean;
  /** Counts what has happened, or, below zero, what was taken for nothing: more than there was room for keeps all else waiting. */
  add(count: number): void;
}

export function makeTokenBucket(
  max: number,
  perSecond: number,
  now: () => number = () => performance.now(),
): TokenBucket {
  let left = max;
  let seenAt = now();
  const fill = () => {
    const at = now();
    left = Math.min(max, left + ((at - seenAt) / 1_000) * perSecond);
    seenAt = at;
  };
  return {
    take(count) {
      fill();
      if (left < count) return false;
      left -= count;
      return true;
    },
    add(count) {
      fill();
      left -= count;
    },
  };
}
