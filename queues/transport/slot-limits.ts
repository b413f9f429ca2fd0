/*
 * How many slots of a worker the hosts may hold. The fair order decides who gets the next free slot, not that one is free:
 * turns that take a minute would keep all slots of a worker from the other hosts. So one slot in twenty is only for a host
 * that holds none; a host that is alone gets the others. Attack: 32 turns of 58 s of one host, without which another waited 57 s.
 */

const SLOTS_FOR_EACH_KEPT = 20;

/** How many more jobs of each host a worker may take. */
export interface HostLimits {
  readonly byHost: Readonly<Record<string, number>>;
  /** For each host that holds none. */
  readonly others: number;
}

/** `held`: the host of each slot that is held; `free`: how many slots nobody holds; `kept`: for hosts that hold none, at least. */
export function limitHosts(held: readonly string[], free: number, kept = 0): HostLimits {
  const slots = held.length + free;
  const keptOfAll = Math.min(Math.max(kept, Math.round(slots / SLOTS_FOR_EACH_KEPT)), slots - 1);
  const more = Math.max(free - keptOfAll, 0);
  return {
    byHost: Object.fromEntries(held.map(host => [host, more])),
    others: Math.max(more, Math.min(free, 1)),
  };
}
