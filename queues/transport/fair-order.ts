import type { QueueName } from '../contract/operation.ts';

/*
 * The fair order of jobs over hosts: start-time fair queueing, through the priorities of BullMQ (the lowest goes first).
 *
 *   virtual time   how far the queue is: one step before the lowest priority that waits, or, when nothing waits, before the
 *                  last finish of all; it never goes back
 *   finish         of a host: where its next job is placed; after each, one step further, divided by its share
 *   priority       of a job: the finish of its host, but at least the virtual time
 *
 * So a host that has nothing waiting is placed at the front (at the virtual time, with other such hosts), or, if its last
 * job was taken only just now, one step behind that job; and a host with many waiting is placed behind itself.
 * Both are computed when a job is added, in the store, for all `web` processes: workers are unaffected, and a job
 * that BullMQ takes, gives back or retries by itself keeps its priority. What is stored is one number for each host that is
 * ahead of the virtual time. If it is lost, each host begins at the virtual time again, and what waits keeps its order.
 * When the numbers grow too large, those of all jobs and hosts are lowered by the same amount.
 *
 * Implemented in `redis/fair-order` and `postgres/fair-order`.
 */

/** Whose job it is, for the fair order. */
export interface HostShare {
  readonly host: string;
  /** The weight of the host, 1 to 10. */
  readonly share: number;
}

export const DEFAULT_SHARE = 1;

/** How far apart the jobs of a host with share 1 are placed. */
export const STEP = 10;
/** The highest priority of BullMQ. Jobs that would be behind it wait in the order of their arrival. */
export const MAX_PRIORITY = 2_097_151;
/** A virtual time beyond this is lowered, and all priorities with it: 100,000 jobs of a host fit in what is left. */
export const LOWER_ABOVE = 1_048_576;

/**
 * Records wait for the lock of their contact, so a rush for one contact would delay the records of all hosts. Other queues
 * are first come, first served: their jobs lend their slots while they wait.
 */
const FAIR_QUEUES: readonly string[] = ['turns', 'intake', 'documents'] satisfies QueueName[];

export function isFair(queue: string): boolean {
  return FAIR_QUEUES.includes(queue);
}

/** What a worker of the queue takes. */
export interface Fairness {
  /** No host may hold all slots; see `slot-limits`. */
  readonly isFair: boolean;
  /** How many slots one host never holds beside its others. */
  readonly keptSlots: number;
}

export function fairnessOf(queue: string): Fairness {
  // A document takes minutes, and only one that is fetched lends its slot.
  return { isFair: isFair(queue), keptSlots: queue === ('documents' satisfies QueueName) ? 1 : 0 };
}
