/** Finished jobs are kept this long. Each job has the option, because job options override worker options. */
export const FINISHED_JOB_SECONDS = 60;

/** The longest time limit that a request can be given; its job may wait that long. */
export const MAX_TIME_LIMIT_MS = 600_000;

export const jobOptions = {
  attempts: 1,
  removeOnComplete: { age: FINISHED_JOB_SECONDS },
  removeOnFail: { age: FINISHED_JOB_SECONDS },
};

/** Time for a handler to clean up and return an outcome after its signal aborts. */
export const ABORT_GRACE_MS = 40;

/** The worker ends a job at its deadline; the API waits this much longer for the outcome. Must exceed `ABORT_GRACE_MS`. */
export const REPLY_GRACE_MS = 120;

/** How long waiting requests survive an outage of the queue store. */
export const STORE_OUTAGE_LIMIT_MS = 4_000;

/*
 * Each host may hold only some slots of a worker. The fair order decides who gets the next free slot, not that one is free: turns
 * that take a minute would keep all slots of a worker from the other hosts. So one slot in twenty, and at least one of two or
 * more, is kept for hosts that hold none; a host that is alone gets the others. Attack: 32 turns of 58 s of one host, without
 * which another waited 57 s.
 */

const SLOTS_FOR_EACH_KEPT = 20;

/** How many more jobs of each host a worker may take. */
export interface HostLimits {
  readonly byHost: Readonly<Record<string, number>>;
  /** The same, for each host that holds none. */
  readonly others: number;
}

/** `held`: the host of each slot in use; `free`: the number of free slots. */
export function limitHosts(held: readonly string[], free: number): HostLimits {
  const slots = held.length + free;
  const kept = Math.min(Math.max(Math.round(slots / SLOTS_FOR_EACH_KEPT), 1), slots - 1);
  const more = Math.max(free - kept, 0);
  return {
    byHost: Object.fromEntries(held.map(host => [host, more])),
    others: Math.max(more, Math.min(free, 1)),
  };
}
