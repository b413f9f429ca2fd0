/*
 * What is asked of the queue's store beside BullMQ, which does not offer it on both of its backends. Redis and
 * PostgreSQL answer it in `redis-store` and `postgres-store`.
 */

/** A worker's outcome as it lies in the store. */
export interface JobReply {
  readonly code: number;
  readonly sealed: string;
}

/** A job that is finished, or gone. */
export interface FinishedJob {
  readonly id: string;
  readonly state: 'completed' | 'failed' | 'missing';
  readonly reply?: JobReply;
}

export interface Backlog {
  readonly depth: number;
  /** Since when the oldest job waits, on the store's clock. */
  readonly oldest: number | undefined;
}

/** As much of a BullMQ queue as a store needs. */
export interface StoredQueue {
  readonly name: string;
  toKey(type: string): string;
  getJobState(id: string): Promise<string>;
  getJob(id: string): Promise<{ returnvalue: JobReply } | undefined>;
}

export interface Store {
  /** Milliseconds since the epoch on the store's clock. */
  clock(): Promise<number>;
  /** Of these jobs the ones that are finished or gone; those still on their way are left out. */
  findFinished(queue: StoredQueue, ids: readonly string[]): Promise<FinishedJob[]>;
  backlog(queue: StoredQueue): Promise<Backlog>;
  /** A job that the store does not confirm for this long is taken not to be there: its asker is refused. */
  readonly addTimeoutMs: number;
  /** Whether there is a connection; whether the store does its work is for `StoreWatch` to say. */
  isConnected(): boolean;
  /** Writes something small, so that a store that takes no writes is known before a job is lost in it. */
  write(): Promise<void>;
  close(): Promise<void>;
}
