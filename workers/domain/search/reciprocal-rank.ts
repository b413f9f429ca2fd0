const SMOOTHING = 60;

/** One item of several lists: its entries, in the order of the lists, and the sum of its reciprocal ranks. */
export interface FusedItem<T> {
  readonly found: readonly [T, ...T[]];
  readonly score: number;
}

/** Reciprocal rank fusion: items that rank high in many lists come first. Ties keep their order. */
export function mergeByRank<T>(
  lists: readonly (readonly T[])[],
  keyOf: (item: T) => string,
): readonly FusedItem<T>[] {
  const merged = new Map<string, { readonly found: [T, ...T[]]; score: number }>();
  for (const list of lists) {
    for (const [rank, item] of list.entries()) {
      const known = merged.get(keyOf(item));
      const score = 1 / (SMOOTHING + rank + 1);
      if (known) {
        known.found.push(item);
        known.score += score;
      } else merged.set(keyOf(item), { found: [item], score });
    }
  }
  return [...merged.values()].toSorted((a, b) => b.score - a.score);
}
