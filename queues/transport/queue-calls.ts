import { type BatchOptions, upTo } from '../../platform/batch.ts';
import type { HostShare } from './fair-order.ts';
import type { HostLimits } from './job-limits.ts';

/*
 * These calls replace BullMQ's own for the steps of every job, each for many jobs at once. `redis/calls` and `postgres/calls`
 * implement them, over the connection of a queue or worker.
 */

export interface QueueCalls {
  /** One call adds at most this many jobs. */
  readonly maxAdds: number;
  /** Leaves jobs that the queue already has unchanged. */
  add(jobs: readonly AddedJob[]): Promise<void>;
  /** Gives a finished job that runs again these data, and a new priority in the fair order. An unfinished job stays unchanged. */
  replaceFinished(job: Pick<AddedJob, 'id' | 'data' | 'hostShare'>): Promise<void>;
  take(wanted: WantedJobs): Promise<TakeResult>;
  /** Completes jobs, notifies the processes that requested them, and takes others. */
  finish(jobs: readonly EndedJob[], wanted: WantedJobs): Promise<FinishResult>;
  /**
   * Reads what ended a wait: the job that `add` has taken for a worker that waits, or none if it was read too late; undefined:
   * anything else. When absent: `add` takes none.
   */
  decodeHanded?(marker: { readonly member: string; readonly score: number }): readonly TakenJob[] | undefined;
  /** Puts taken jobs back where they waited, in their order. */
  giveBack(jobs: readonly TakenJob[]): Promise<void>;
  /** Renews locks of active jobs; returns the jobs that have another lock, or run no more. When absent: BullMQ's own call. */
  renewLocks?(jobs: readonly Pick<EndedJob, 'id' | 'lock'>[], lockMs: number): Promise<string[]>;
  /** Returns the jobs whose locks have expired to the queue, and their ids. When absent: BullMQ's own call. */
  recoverStalled?(): Promise<string[]>;
  /** Writes an event to the stream of the queue; returns its id. When absent: BullMQ's own call. */
  publishEvent?(fields: Readonly<Record<string, string | number>>): Promise<string>;
  /** Notifies the requesting process that a job ended; `reply` is JSON, or empty. */
  notifyEnd(replyTo: string, jobId: string, reply: string): Promise<void>;
  /** Sends messages about running jobs to their requesters, in this order. */
  sendMessages(messages: readonly RequesterMessage[]): Promise<void>;
}

export interface RequesterMessage {
  readonly requester: string;
  /** See `job-message`. */
  readonly text: string;
}

export interface AddedJob {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly data: string;
  readonly timestamp: number;
  /** Undefined: the job has no priority, and goes before all that have one. */
  readonly hostShare?: HostShare | undefined;
}

export interface WantedJobs {
  /** The start of each lock. */
  readonly lock: string;
  /** The most jobs to take. */
  readonly count: number;
  /** Jobs of hosts at their limit are passed over; undefined: no host has a limit. */
  readonly hostLimits: HostLimits | undefined;
  /** `add` may take one for this worker while it waits and this call has left it fewer jobs. */
  readonly spare: number;
}

export interface EndedJob {
  readonly id: string;
  readonly lock: string;
  /** JSON. */
  readonly reply: string;
  readonly replyTo: string;
  /** JSON that replaces the data of the job; empty: the data stay. */
  readonly data: string;
}

export interface TakenJob {
  readonly id: string;
  readonly lock: string;
  /** Undefined if the job is not in fair order. */
  readonly hostShare: HostShare | undefined;
  /** The job as BullMQ's `moveToActive` returns it. */
  readonly fetched: readonly unknown[];
}

export interface TakeResult {
  readonly jobs: readonly TakenJob[];
  /** At least this many jobs still wait; undefined: the queue has features that only BullMQ's own calls know. */
  readonly waiting: number | undefined;
}

export interface FinishResult extends TakeResult {
  /** Whether each job was completed; BullMQ's own call decides for the others. */
  readonly completed: readonly boolean[];
}

/** One call may hold this many, and this much text unless it is of one alone; a longer script would delay others. */
export const MAX_BATCHED = 64;
const MAX_BATCHED_LENGTH = 500_000;

/** Sends the calls of one tick of the event loop together, even if earlier ones still run. */
export function batchOfTick<Call>(
  lengthOf: (call: Call) => number,
  max = MAX_BATCHED,
): Pick<BatchOptions<Call, never>, 'startBatch' | 'maxRunning'> {
  return { startBatch: upTo(max, lengthOf, MAX_BATCHED_LENGTH), maxRunning: Number.POSITIVE_INFINITY };
}

/** A worker may take this many jobs at once even if that is more than half of those waiting. */
export const MIN_TAKE = 8;

/** The most jobs that one take gets when this many wait, as the stores compute it; other workers get the rest. */
export function maxTakenOf(waiting: number): number {
  return Math.min(Math.max(MIN_TAKE, Math.ceil(waiting / 2)), waiting);
}
