import { DEFAULT_SHARE, type HostShare } from './fair-order.ts';

/*
 * How many slots of a worker one host may hold. The fair order decides who gets the next free slot, not that one is free:
 * turns that take a minute would keep all slots of a worker from the other hosts. So a host may take another slot only while
 * it holds less than twice as many as are free, times its share. With a share of 1 it gets two thirds of all when it is
 * alone, and two hosts get two fifths each: whatever is held, some are left for the host that has none.
 */

/** A host may hold this many slots for each that is free, times its share. */
const HELD_FOR_EACH_FREE = 2;

/** How many more jobs of each host a worker may take. */
export interface HostLimits {
  readonly byHost: Readonly<Record<string, number>>;
  /** For each host that holds none, as if its share were 1: the worker does not know it. */
  readonly others: number;
}

/** `held`: the jobs that hold a slot; `free`: how many slots nobody holds; `kept`: how many no host may hold beside its others. */
export function limitHosts(held: Iterable<HostShare>, free: number, kept = 0): HostLimits {
  const limits = new Map<string, number>();
  const counts = new Map<string, number>();
  const all = [...held];
  const most = Math.max(all.length + free - kept, 1);
  for (const { host, share } of all) {
    const count = (counts.get(host) ?? 0) + 1;
    counts.set(host, count);
    limits.set(host, limitOf({ held: count, share, free, most }));
  }
  return {
    byHost: Object.fromEntries(limits),
    others: limitOf({ held: 0, share: DEFAULT_SHARE, free, most }),
  };
}

interface Held extends Omit<HostShare, 'host'> {
  readonly held: number;
  readonly free: number;
  readonly most: number;
}

function limitOf({ held, share, free, most }: Held): number {
  const heldForEachFree = HELD_FOR_EACH_FREE * share;
  const fair = Math.ceil((heldForEachFree * free - held) / (heldForEachFree + 1));
  return Math.max(Math.min(fair, most - held), 0);
}
