/** Limits a rate: a burst at once, then an amount per second. */
export interface TokenBucket {
  /** Takes the amount if there is room for it now, and says so. */
  take(count: number): boolean;
  /**
   * Counts an amount that was used; a negative amount returns what was taken in vain. Beyond the room, everything else waits:
   * returns in how many ms there is room again.
   */
  add(count: number): number;
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
      return Math.max(0, (-left / perSecond) * 1_000);
    },
  };
}
