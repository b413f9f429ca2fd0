const SMOOTHING = 60;

/** One list out of several: what stands high in many of them stands high. Equals keep the order in which they came. */
export function mergedByRank<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string): T[] {
  const merged = new Map<string, { readonly item: T; weight: number }>();
  for (const list of lists) {
    for (const [rank, item] of list.entries()) {
      const known = merged.get(keyOf(item));
      const weight = 1 / (SMOOTHING + rank + 1);
      if (known) known.weight += weight;
      else merged.set(keyOf(item), { item, weight });
    }
  }
  return [...merged.values()].toSorted((a, b) => b.weight - a.weight).map(({ item }) => item);
}
