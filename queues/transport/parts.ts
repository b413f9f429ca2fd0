import {
  type BackendFactory,
  type IQueueBackend,
  type Job,
  Queue,
  type QueueBase,
  QueueEvents,
  QueueEventsProducer,
  type QueueOptions,
  Worker,
} from 'bullmq';
import { repeat } from '../../platform/repeat.ts';
import { type QueueName, queues } from '../contract/queues.ts';
import { AddingBackend, ParleyBackend, PatientBackend } from './parley-backend.ts';
import type { QueueCalls } from './queue-calls.ts';
import type { JobData, JobEndEvents, JobReply, Store } from './store.ts';
import { TakingBackend } from './taking-backend.ts';

/* The types of BullMQ's queues, workers and listeners, on either store. */

export type ParleyQueue = Queue<JobData, JobReply, string, JobData, JobReply, string, ParleyBackend>;
export type ParleyEvents = QueueEvents<JobReply, IQueueBackend>;

/** The common base of a queue, worker and listener. */
export type Part = QueueBase<IQueueBackend>;

export interface Parts {
  /** Every part that was made. */
  readonly all: readonly Part[];
  makeQueue(name: QueueName): ParleyQueue;
  /** Also delivers the events that the store still has. */
  makeEvents(name: string): ParleyEvents;
  makeEventsProducer(name: string): QueueEventsProducer<IQueueBackend>;
  makeWorker(
    name: QueueName,
    processor: ConstructorParameters<typeof Worker<JobData, JobReply>>[1],
    concurrency: number,
  ): ParleyWorker;
}

type LibraryWorker = Worker<JobData, JobReply, string, ParleyBackend>;

/** A job that this worker is running. */
interface Run {
  readonly token: string;
  /** Set while its outcome is being stored, which mostly takes milliseconds: renewing the lock meanwhile would disturb it. */
  endingSince?: number;
}

export class ParleyWorker extends Worker<JobData, JobReply, string, ParleyBackend> {
  /** The last run of each job: if the lock of a run has expired, this worker may run the job again beside it. */
  readonly #runs = new Map<string, Run>();

  /**
   * Renews the locks of the running jobs. BullMQ would read from the clock of this machine, which may be set back, when a lock is
   * due; and for all runs of a job, it stops when one has an outcome, which may wait longer than a lock to be stored.
   */
  keepLocks(): void {
    const closed = new AbortController();
    this.once('closed', () => closed.abort());
    void repeat(() => this.#renewLocks(), {
      everyMs: RENEW_EVERY_MS,
      signal: closed.signal,
      onError: error => this.emit('error', error as Error),
    });
  }

  async #renewLocks(): Promise<void> {
    const before = performance.now() - RENEW_EVERY_MS / 2;
    const due = [...this.#runs].filter(([, { endingSince = before }]) => endingSince <= before);
    if (due.length === 0) return;
    const [ids, tokens] = [due.map(([id]) => id), due.map(([, { token }]) => token)];
    for (const id of await this.extendJobLocks(ids, tokens, LOCK_MS)) {
      const run = this.#runs.get(id);
      if (run && run.endingSince === undefined)
        this.emit('error', new Error(`could not renew lock for job ${id}`));
    }
  }

  override async processJob(...[job, token, mayFetch]: Parameters<LibraryWorker['processJob']>) {
    const id = job.id as string;
    const run: Run = { token };
    this.#runs.set(id, run);
    try {
      return await super.processJob(job, token, mayFetch);
    } finally {
      if (this.#runs.get(id) === run) this.#runs.delete(id);
    }
  }

  protected override async callProcessJob(job: Job<JobData, JobReply>, token: string): Promise<JobReply> {
    try {
      return await super.callProcessJob(job, token);
    } finally {
      const run = this.#runs.get(job.id as string);
      if (run?.token === token) run.endingSince = performance.now();
    }
  }

  /** Lets the worker take one more job while the one with this token only waits; the returned function reclaims the slot. */
  lendSlot(token: string): () => void {
    const setLending = (isLending: boolean) => {
      this.concurrency += isLending ? 1 : -1;
      this.getBackend().setLending(token, isLending);
    };
    setLending(true);
    // A worker without free slots notices the higher concurrency only when it is resumed.
    if (!this.closing) void this.pause(true).then(() => this.resume());
    return () => setLending(false);
  }
}

/** A store, and how parts are made on it. Implemented in `redis/backend` and `postgres/backend`. */
export interface OpenStore {
  readonly store: Store;
  /** The state of a job is polled at these intervals until a message says that it ended. */
  readonly polling: { readonly firstMs: number; readonly maxMs: number };
  readonly maxConcurrentAdds: number;
  readonly factory: BackendFactory<IQueueBackend>;
  producer(queue: string): PartOptions;
  consumer(queue: string): PartOptions;
  /** `library`: the backend that `factory` made; `now`: milliseconds on the store's clock. */
  makeCalls(library: IQueueBackend, queue: string, now: () => number): QueueCalls;
  makeEnds(): JobEndEvents;
  /** Keeps present and future parts connected until the signal is aborted. */
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
   * Whether our calls add, take and complete the jobs of this queue; default: yes, for all queues. A queue whose jobs have delays
   * or limits should keep BullMQ's own calls, although both work on the same jobs.
   */
  readonly isBatched?: (queue: string) => boolean;
}

/** How long a worker may hold a job without renewing its lock. */
export const LOCK_MS = 4_000;
const RENEW_EVERY_MS = 1_000;
/** A job fails if its workers died more often than this. */
export const MAX_STALLED_COUNT = 2;
export const STALL_CHECK_MS = 500;
/**
 * The job of a crashed worker is recovered within the lock duration and the interval; with BullMQ's defaults after a minute,
 * the whole time limit of a turn. A worker whose event loop is blocked for three seconds keeps its jobs.
 */
const recovery = {
  lockDuration: LOCK_MS,
  skipLockRenewal: true,
  stalledInterval: STALL_CHECK_MS,
  maxStalledCount: MAX_STALLED_COUNT,
  // Delay after errors other than a lost connection; the default is 15 s.
  runRetryDelay: 1_000,
};
const isLockError = (error: Error) =>
  /^(could not renew lock for|Missing lock for|Lock mismatch for) job/.test(error.message);
/**
 * A listener reads again after this time: on PostgreSQL it misses a message between its read and its wait, with BullMQ's default
 * for 10 s.
 */
const LISTEN_AGAIN_MS = 1_000;
const eventStream = { events: { maxLen: 1_000 } };

export function makeParts(
  { factory, producer, consumer, makeCalls }: OpenStore,
  now: () => number,
  { onError, onLockLost = () => {}, isBatched = () => true }: PartsOptions,
): Parts {
  const all: Part[] = [];
  const report = (error: Error) => (isLockError(error) ? onLockLost(error) : onError(error));
  const register = <T extends Part>(part: T): T => {
    all.push(part);
    part.on('error', report);
    return part;
  };
  const factoryOf =
    (make: (library: IQueueBackend, calls: QueueCalls) => ParleyBackend): BackendFactory<ParleyBackend> =>
    (name, ...options) => {
      const library = factory(name, ...options);
      return make(library, makeCalls(library, name, now));
    };
  return {
    all,
    makeQueue(name) {
      const Backend = isBatched(name) ? AddingBackend : ParleyBackend;
      const own = factoryOf((library, calls) => new Backend(library, calls));
      return register(new Queue(name, { ...producer(name), streams: eventStream }, own));
    },
    makeEvents(name) {
      const own: typeof factory = (...made) => new PatientBackend(factory(...made));
      return register(
        new QueueEvents(name, { ...consumer(name), lastEventId: '0', blockingTimeout: LISTEN_AGAIN_MS }, own),
      );
    },
    makeEventsProducer(name) {
      const own = factoryOf((library, calls) => new ParleyBackend(library, calls));
      return register(new QueueEventsProducer(name, producer(name), own));
    },
    makeWorker(name, processor, concurrency) {
      const taking = { ...queues[name], slots: () => worker.concurrency };
      const own = factoryOf((library, calls) =>
        isBatched(name) ? new TakingBackend(library, calls, taking) : new ParleyBackend(library, calls),
      );
      const options = { ...consumer(name), concurrency, ...recovery };
      const worker: ParleyWorker = register(new ParleyWorker(name, processor, options, own));
      worker.on('closing', () => worker.getBackend().stopTaking());
      worker.keepLocks();
      return worker;
    },
  };
}
