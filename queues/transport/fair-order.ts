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
 * that BullMQ takes, gives back or retries by itself keeps its priority. The store keeps one number for each host that is
 * ahead of the virtual time. If it is lost, each host begins at the virtual time again, and waiting jobs keep their order.
 * When the numbers grow too large, all jobs and hosts have theirs lowered by the same amount.
 *
 * Implemented in `redis/fair-order` and `postgres/fair-order`.
 */

/** The host of a job, for the fair order. */
export interface HostShare {
  readonly host: string;
  /** The weight of the host, 1 to 10. */
  readonly share: number;
}

export const DEFAULT_SHARE = 1;

/** The distance between the jobs of a host with share 1. */
export const STEP = 10;
/** The highest priority of BullMQ. Jobs beyond it wait in the order of arrival. */
export const MAX_PRIORITY = 2_097_151;
/** A virtual time above this is lowered, with all priorities: the space beyond it holds 100,000 jobs of a host. */
export const LOWER_ABOVE = 1_048_576;
