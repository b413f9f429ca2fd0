/*
 * How many slots of a worker one host may hold. The fair order decides who gets the next free slot, not that one is free:
 * turns that take a minute would keep all slots of a worker from the other hosts. So a host may take another slot only while
 * it holds less than twice as many as are free. Alone it gets two thirds of all, two hosts get two fifths each: whatever is
 * held, some are left for the host that has none.
 */

/** A host may hold this many slots for each that is free. */
const HELD_FOR_EACH_FREE = 2;

/** How many more jobs of each host a worker may take. */
export interface HostLimits {
  readonly byHost: Readonly<Record<string, number>>;
  /** For each host that holds none. */
  readonly others: number;
}

/** `held`: how many slots each host holds; `free`: how many nobody holds. */
export function limitHosts(held: ReadonlyMap<string, number>, free: number): HostLimits {
  const limitOf = (own: number) => {
    const limit = (HELD_FOR_EACH_FREE * free - own) / (HELD_FOR_EACH_FREE + 1);
    return Math.max(Math.ceil(limit), 0);
  };
  const byHost = Object.fromEntries([...held].map(([host, own]) => [host, limitOf(own)]));
  return { byHost, others: limitOf(0) };
}
