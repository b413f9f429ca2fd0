import { acceptedKeysOf, type Figure } from '../../../text/figures/figure.ts';

export type Supporters = ReadonlySet<number>;

const NOBODY: Supporters = new Set();

export type SupporterIndex = ReturnType<typeof makeSupporterIndex>;

/** Which grounds have the figures of an answer. Each key of a ground is looked at once. */
export function makeSupporterIndex() {
  const byKey = new Map<string, Set<number>>();
  const byKeys = new Map<string, Supporters>();
  return {
    /** Whether a figure of the answer may have it as its source. */
    accepts: (key: string): boolean => byKey.has(key),
    /** Before the grounds. */
    addFigure(figure: Figure): void {
      for (const key of acceptedKeysOf(figure)) if (!byKey.has(key)) byKey.set(key, new Set());
    },
    addGround(ground: number, keys: ReadonlySet<string>): void {
      // The smaller of the two is walked.
      if (byKey.size < keys.size) {
        for (const [key, grounds] of byKey) if (keys.has(key)) grounds.add(ground);
      } else for (const key of keys) byKey.get(key)?.add(ground);
    },
    /** When all grounds are added; the same set for figures that are alike. */
    supportersOf(figure: Figure): Supporters {
      const keys = acceptedKeysOf(figure);
      const name = keys.join('\n');
      const supporters = byKeys.get(name) ?? unionOf(keys.map(key => byKey.get(key) ?? NOBODY));
      byKeys.set(name, supporters);
      return supporters;
    },
  };
}

function unionOf(sets: readonly Supporters[]): Supporters {
  return new Set(sets.flatMap(set => [...set]));
}
