import { timeOf } from './growth.ts';

/** What a work that is done in steps comes to. */
export function resultOf<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The share that the longest step has of the whole time; the best of three, for the collector's pauses belong to none. */
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
