/*
 * Operations on the queue store that BullMQ does not offer on both backends. Implemented in `redis/store` and
 * `postgres/store`.
 */

/** The plain-text part of a job in the queue store, visible to operators; the rest is sealed. */
export interface JobData {
  readonly requestId: string;
  readonly hostId: string | null;
  /** Milliseconds on the store's clock. */
  readonly deadline: number;
  /** Only for a job with an Idempotency-Key. */
  readonly bodyMac?: string;
  /** Empty if the job was answered and nobody can ask for it again. */
  readonly sealed: string;
  /**
   * The channel on which the end of the job is announced, to which the `backend.ts` of each store listens. Older processes set
   * none.
   */
  readonly replyTo?: string;
  /** The requester whose client wants the answer in pieces. */
  readonly piecesTo?: string;
}

/** The `replyTo` of a job with an Idempotency-Key, because every process may wait for it. */
export const KEYED_CHANNEL = 'keyed';

/** The sealed outcome of a job in the store. */
export interface JobReply {
  readonly code: number;
  readonly sealed: string;
  /** The digest of the body that it answers; only for a job with an Idempotency-Key. Older processes set none. */
  readonly bodyMac?: string;
}

export interface FinishedJob {
  readonly id: string;
  readonly state: 'completed' | 'failed' | 'missing';
  readonly reply?: JobReply;
}

export interface PendingJob {
  readonly id: string;
  readonly hostId: string | null;
  readonly operation: string;
  readonly state: 'queued' | 'running';
}

/** The waiting jobs of a queue, and the number of running ones. */
export interface Backlog {
  readonly depth: number;
  /** When the oldest waiting job was added, on the store's clock. */
  readonly oldest: number | undefined;
  /** The number of jobs that workers have taken and not ended. */
  readonly active: number;
  /** The hosts with jobs that wait in the fair order; see `fair-order`. */
  readonly hosts: ReadonlyMap<string, HostBacklog>;
}

export interface HostBacklog {
  readonly depth: number;
  readonly oldest: number;
  /** How many jobs, of all hosts, would go before its next one. */
  readonly ahead: number;
}

/** `queue` counts all jobs, but its `oldest` is the next job to be taken, or undefined: hosts have the others. */
export function mergeBacklogs(
  queue: Omit<Backlog, 'hosts'>,
  hosts: readonly (readonly [string, HostBacklog])[],
): Backlog {
  const added = [queue, ...hosts.map(([, own]) => own)].flatMap(({ oldest }) => oldest ?? []);
  return { ...queue, oldest: added.length > 0 ? Math.min(...added) : undefined, hosts: new Map(hosts) };
}

/** Times on the store's clock. */
export interface RecentEnds {
  readonly count: number;
  /** When the last job ended, of those that the store still has. */
  readonly lastAt: number | undefined;
}

/** Hears of the ends of a queue's jobs. These are hints: they may come late, twice or never. */
export interface EndListener {
  /** Without a reply, the job must be read. */
  noteEnd(jobId: string, reply: JobReply | undefined): void;
  /** A sealed `TurnPiece` of a running job. */
  notePiece(jobId: string, piece: string): void;
  /** Some ends may have been missed. */
  noteGap(): void;
}

export interface EndSubscription {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

/** Notifies this process of the ends of jobs. */
export interface JobEndEvents {
  /** The `replyTo` of jobs of this process. */
  readonly requester: string;
  listen(queue: string, listener: EndListener): EndSubscription;
  /** The ends of all jobs of a queue after this time, of all requesting processes. */
  find(queue: StoredQueue, since: number): Promise<RecentEnds>;
  /** Needed after a failover: the connection may lead to a server that sends nothing. */
  reconnect(): void;
  close(): Promise<void>;
}

/** The part of a BullMQ queue that a store needs. */
export interface StoredQueue {
  readonly name: string;
  toKey(type: string): string;
}

export interface Store {
  /** Milliseconds since the epoch on the store's clock. */
  clock(): Promise<number>;
  findFinished(queue: StoredQueue, ids: readonly string[]): Promise<FinishedJob[]>;
  /** Returns the jobs that wait or run. */
  findPending(queue: StoredQueue, ids: readonly string[]): Promise<PendingJob[]>;
  backlog(queue: StoredQueue): Promise<Backlog>;
  /** The caller is refused if the store does not confirm its job within this time. */
  readonly addTimeoutMs: number;
  /** Time for the API processes to reconnect after an outage and to cancel the refused jobs. */
  readonly cancelWithinMs: number;
  /** Whether there is a connection; `StoreWatch` checks whether the store works. */
  isConnected(): boolean;
  /** A small test write detects a store that accepts no writes before a job is added. */
  write(): Promise<void>;
  close(): Promise<void>;
}
