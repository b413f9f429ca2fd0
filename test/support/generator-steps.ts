import { timeOf } from './growth.ts';

/** The share of the longest step in the total time; the best of three, to exclude garbage collection. */
export function longestShare(begin: () => Generator<void, unknown>): number {
  const shares = Array.from({ length: 3 }, () => {
    const steps = begin();
    let [longest, total] = [0, 0];
    for (;;) {
      let isDone: boolean | undefined;
      const time = timeOf(() => (isDone = steps.next().done));
      if (isDone) break;
      longest = Math.max(longest, time);
      total += time;
    }
    return total === 0 ? 1 : longest / total;
  });
  return Math.min(...shares);
}
