/** How many messages may still arrive; refilled with time. */
export interface MessageBudget {
  /** Whether so many may arrive now; then they are counted. */
  take(count: number): boolean;
}

export function makeMessageBudget(
  max: number,
  perSecond: number,
  now: () => number = () => performance.now(),
): MessageBudget {
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
