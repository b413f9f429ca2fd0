import {
  type BackendFactory,
  type IQueueBackend,
  Queue,
  QueueEvents,
  QueueEventsProducer,
  type QueueOptions,
  Worker,
} from 'bullmq';
import { type QueueName, queues } from '../contract/queues.ts';
import { batchAdds } from './batched-adds.ts';
import { batchTakes } from './batched-takes.ts';
import { formatPieceMessage } from './job-message.ts';
import { makeMessageSender } from './message-sender.ts';
import { notifyRequesters } from './notify-requesters.ts';
import type { QueueCalls, RequesterMessage } from './queue-calls.ts';
import type { QueuedJob } from './queued-job.ts';
import type { JobData, JobEndEvents, JobReply, Store } from './store.ts';

/* BullMQ's queues, workers and listeners, on whichever store is open. */

export type ParleyQueue = Queue<JobData, JobReply, string, JobData, JobReply, string, IQueueBackend>;
export type ParleyWorker = Worker<JobData, JobReply, string, IQueueBackend>;
export type ParleyEvents = QueueEvents<JobReply, IQueueBackend>;

export interface ClosablePart {
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

export interface Parts {
  /** Every part that was made. */
  readonly all: readonly ClosablePart[];
  makeQueue(name: QueueName): ParleyQueue;
  /** `fromStart`: also delivers the events that the store still has. */
  makeEvents(name: string, options?: { fromStart: boolean }): ParleyEvents;
  makeEventsProducer(name: string): QueueEventsProducer<IQueueBackend>;
  /** See `QueueCalls`. A job outside the fair order stays as it is. */
  placeAgain(queue: ParleyQueue, job: Pick<QueuedJob, 'jobId' | 'hostShare'>): Promise<void>;
  /** See `QueueCalls`. */
  notifyEnd(queue: ParleyQueue, replyTo: string, jobId: string, reply: string): Promise<void>;
  /** Sends a sealed piece of the answer of a running job to its requester. Never rejects: it is a hint. */
  sendPiece(queue: ParleyQueue, requester: string, jobId: string, piece: string): void;
  /** Lets the worker take one more job while the one with this token only waits; the returned function reclaims the slot. */
  lendSlot(worker: ParleyWorker, token: string): () => void;
  makeWorker(
    name: QueueName,
    processor: ConstructorParameters<typeof Worker<JobData, JobReply>>[1],
    concurrency: number,
  ): ParleyWorker;
}

/** A store, and how parts are made on it. Implemented in `redis/backend` and `postgres/backend`. */
export interface OpenStore {
  readonly store: Store;
  /** Intervals at which the state of a job is polled while no message says that it ended. */
  readonly polling: { readonly firstMs: number; readonly maxMs: number };
  readonly maxConcurrentAdds: number;
  readonly factory: BackendFactory<IQueueBackend>;
  readonly producer: PartOptions;
  readonly consumer: PartOptions;
  /** `now`: milliseconds on the store's clock. */
  makeCalls(backend: IQueueBackend, queue: string, now: () => number): QueueCalls;
  makeEnds(): JobEndEvents;
  /** Keeps parts that were and will be made connected, until the signal is aborted. */
  keepConnected(parts: Parts, ends: JobEndEvents, signal: AbortSignal): void;
}

type PartOptions = Pick<QueueOptions, 'connection' | 'prefix'>;

export interface PartListener {
  onError(error: Error): void;
  /** Called if the lock of a job expired: another worker may have taken the job. */
  onLockLost?(error: Error): void;
}

export interface PartsOptions extends PartListener {
  /**
   * Whether the adds, takes and completions of this queue go through calls of ours; default: all queues. A queue whose jobs
   * have delays or limits is better left to BullMQ's own calls, although both work on the same jobs.
   */
  readonly isBatched?: (queue: string) => boolean;
}

/** How long a worker may hold a job without renewing its lock. */
export const LOCK_MS = 4_000;
/** A job whose workers died more often fails. */
export const MAX_STALLED_COUNT = 2;
/**
 * The job of a crashed worker is recovered within the lock duration and the interval; with BullMQ's defaults after a minute,
 * the whole time limit of a turn. A worker whose event loop is blocked for three seconds keeps its jobs.
 */
const recovery = {
  lockDuration: LOCK_MS,
  lockRenewTime: 1_000,
  stalledInterval: 500,
  maxStalledCount: MAX_STALLED_COUNT,
  // Delay after errors other than a lost connection; the default is 15 s.
  runRetryDelay: 1_000,
};
const isLockError = (error: Error) =>
  /^(could not renew lock for|Missing lock for|Lock mismatch for) job/.test(error.message);
const eventStream = { events: { maxLen: 1_000 } };

interface CallsOfQueue extends QueueCalls {
  send(message: RequesterMessage): void;
}

interface ErrorEmitter {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export function makeParts(
  { factory, producer, consumer, makeCalls }: OpenStore,
  now: () => number,
  { onError, onLockLost = () => {}, isBatched = () => true }: PartsOptions,
): Parts {
  const all: ClosablePart[] = [];
  const callsOf = new WeakMap<ParleyQueue, CallsOfQueue>();
  const setLendingOf = new WeakMap<ParleyWorker, (token: string, isLending: boolean) => void>();
  const report = (error: Error) => (isLockError(error) ? onLockLost(error) : onError(error));
  const register = <T extends ErrorEmitter & ClosablePart>(part: T): T => {
    all.push(part);
    part.on('error', report);
    return part;
  };
  return {
    all,
    makeQueue(name) {
      const queue: ParleyQueue = register(new Queue(name, { ...producer, streams: eventStream }, factory));
      const backend = queue.getBackend();
      const calls = makeCalls(backend, name, now);
      if (isBatched(name)) batchAdds(backend, calls);
      callsOf.set(queue, { ...calls, send: makeMessageSender(calls) });
      return queue;
    },
    placeAgain: async (queue, { jobId, hostShare: at }) => at && callsOf.get(queue)?.placeAgain(jobId, at),
    notifyEnd: async (queue, ...end) => callsOf.get(queue)?.notifyEnd(...end),
    sendPiece: (queue, to, id, piece) => callsOf.get(queue)?.send(formatPieceMessage(to, id, piece)),
    makeEvents: (name, { fromStart } = { fromStart: false }) =>
      register(new QueueEvents(name, { ...consumer, ...(fromStart ? { lastEventId: '0' } : {}) }, factory)),
    makeEventsProducer: name => register(new QueueEventsProducer(name, producer, factory)),
    makeWorker(name, processor, concurrency) {
      const options = { ...consumer, concurrency, ...recovery };
      const worker: ParleyWorker = register(new Worker(name, processor, options, factory));
      const backend = worker.getBackend();
      const calls = makeCalls(backend, name, now);
      // What the batched calls leave to BullMQ's own notifies, too.
      notifyRequesters(backend, calls);
      if (isBatched(name)) setLendingOf.set(worker, batchTakes(backend, worker, calls, queues[name]));
      return worker;
    },
    lendSlot(worker, token) {
      const setLending = (isLending: boolean) => {
        worker.concurrency += isLending ? 1 : -1;
        setLendingOf.get(worker)?.(token, isLending);
      };
      setLending(true);
      // A worker whose slots are all taken notices the higher concurrency only when it is resumed.
      if (!worker.closing) void worker.pause(true).then(() => worker.resume());
      return () => setLending(false);
    },
  };
}
