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

/** `held`: the jobs that hold a slot; `free`: how many slots nobody holds. */
export function limitHosts(held: Iterable<HostShare>, free: number): HostLimits {
  const limits = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const { host, share } of held) {
    const count = (counts.get(host) ?? 0) + 1;
    counts.set(host, count);
    limits.set(host, limitOf(count, share, free));
  }
  return { byHost: Object.fromEntries(limits), others: limitOf(0, DEFAULT_SHARE, free) };
}

function limitOf(held: number, share: number, free: number): number {
  const heldForEachFree = HELD_FOR_EACH_FREE * share;
  return Math.max(Math.ceil((heldForEachFree * free - held) / (heldForEachFree + 1)), 0);
}
