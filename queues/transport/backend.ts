import {
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  type IQueueBackend,
  type JobJson,
  Queue,
  QueueEvents,
  QueueEventsProducer,
  runMigrations,
  Worker,
} from 'bullmq';
import pg from 'pg';
import { CLOSE_PART_WITHIN_MS } from '../../platform/shutdown-limits.ts';
import { withinMs } from '../../platform/within-ms.ts';
import { jobOptions } from './job-limits.ts';
import { makePostgresStore, QUERY_TIMEOUT_MS } from './postgres-store.ts';
import { keepConnected, reconnect } from './redis-parts.ts';
import { makeRedisConnections, makeRedisStore } from './redis-store.ts';
import type { JobData, JobReply, Store } from './store.ts';
import { type Outage, StoreWatch } from './store-watch.ts';

/*
 * The only file that knows which store BullMQ uses: Redis if REDIS_URL is set, otherwise PostgreSQL. Features that
 * BullMQ does not offer on both (the store's clock, the state of many jobs at once, the age of the oldest waiting job)
 * are queried directly: see `Store`.
 */

export type ParleyQueue = Queue<JobData, JobReply, string, JobData, JobReply, string, IQueueBackend>;
export type ParleyWorker = Worker<JobData, JobReply, string, IQueueBackend>;
export type ParleyEvents = QueueEvents<JobReply, IQueueBackend>;

export interface NewJob {
  readonly jobId: string;
  readonly name: string;
  readonly data: JobData;
}

export interface Backend extends Pick<Store, 'findFinished' | 'backlog'> {
  readonly kind: 'redis' | 'postgres';
  /** Intervals at which the state of a job is polled while its completion event is missing. */
  readonly polling: { readonly firstMs: number; readonly maxMs: number };
  /** The time on the store's clock, estimated by this process. */
  now(): number;
  /** Whether the store accepted writes at the last check. */
  isReady(): boolean;
  onOutage(listener: (outage: Outage | undefined) => void): void;
  /** See `StoreWatch`. */
  cancellationWaitMs(jobAgeMs: number): number;
  /** Reports store errors that are already handled. */
  readonly onError: (error: Error) => void;
  makeQueue(name: string): ParleyQueue;
  /** Resolves when the store has the job. A job that it already has under this id stays as it is. */
  addJob(queue: ParleyQueue, job: NewJob): Promise<void>;
  /** `fromStart`: also delivers the events that the store still has. */
  makeEvents(name: string, options?: { fromStart: boolean }): ParleyEvents;
  makeEventsProducer(name: string): QueueEventsProducer<IQueueBackend>;
  makeWorker(
    name: string,
    processor: ConstructorParameters<typeof Worker<JobData, JobReply>>[1],
    concurrency: number,
  ): ParleyWorker;
  close(): Promise<void>;
}

export interface BackendOptions {
  readonly redisUrl?: string | undefined;
  readonly databaseUrl: string;
  /** Called for every failure of the store. */
  readonly onError: (error: Error) => void;
  /** Called for every successful check of the store. */
  readonly onSuccess?: () => void;
  /** Called if the lock of a job expired: another worker may have taken the job. */
  readonly onLockLost?: (error: Error) => void;
}

/** With BullMQ's defaults the job of a crashed worker is recovered after a minute, the whole time limit of a turn. */
const recovery = {
  lockDuration: 6_000,
  stalledInterval: 2_500,
  maxStalledCount: 2,
  // Delay after errors other than a lost connection; the default is 15 s.
  runRetryDelay: 1_000,
};
const isLockError = (error: Error) =>
  /^(could not renew lock for|Missing lock for|Lock mismatch for) job/.test(error.message);
const eventStream = { events: { maxLen: 1_000 } };
/** A hash tag: Redis Cluster keeps all keys in one slot, which BullMQ's scripts require. */
const REDIS_PREFIX = '{parley}';

/** Waits for the store first: BullMQ queues created before it is reachable never recover. */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { redisUrl, databaseUrl, onError, onLockLost = () => {} } = options;
  const kind = redisUrl ? 'redis' : 'postgres';
  const parts: object[] = [];
  const store = redisUrl
    ? await makeRedisStore(redisUrl, { onError, onOtherServer: () => parts.forEach(reconnect) })
    : await makePostgresStore(databaseUrl, onError);
  const connections = redisUrl ? makeRedisConnections(redisUrl) : postgresConnections(databaseUrl);
  const factory = (redisUrl ? createRedisBackend : createPostgresBackend) as BackendFactory<IQueueBackend>;
  const watch = new StoreWatch(store, { onFailure: onError, onSuccess: options.onSuccess ?? (() => {}) });
  await watch.start();
  const registerPart = <T extends { on(event: 'error', listener: (error: Error) => void): unknown }>(
    part: T,
  ): T => {
    part.on('error', error => (isLockError(error) ? onLockLost(error) : onError(error)));
    parts.push(part);
    return part;
  };
  const closing = new AbortController();
  if (redisUrl) keepConnected(parts, closing.signal, onError);
  const place = redisUrl ? { prefix: REDIS_PREFIX } : {};
  const producer = { ...place, connection: connections.producer };
  const consumer = { ...place, connection: connections.consumer };
  return {
    kind,
    polling: redisUrl ? { firstMs: 250, maxMs: 2_000 } : { firstMs: 50, maxMs: 50 },
    now: () => watch.now(),
    isReady: () => watch.outage === undefined && store.isConnected(),
    onOutage: listener => watch.onChange(listener),
    cancellationWaitMs: jobAgeMs => watch.cancellationWaitMs(jobAgeMs),
    onError,
    findFinished: store.findFinished,
    backlog: store.backlog,
    makeQueue: name => registerPart(new Queue(name, { ...producer, streams: eventStream }, factory)),
    addJob: (queue, job) => addJob(queue, job, watch.now()),
    makeEvents: (name, { fromStart } = { fromStart: false }) =>
      registerPart(
        new QueueEvents(name, { ...consumer, ...(fromStart ? { lastEventId: '0' } : {}) }, factory),
      ),
    makeEventsProducer: name => registerPart(new QueueEventsProducer(name, producer, factory)),
    makeWorker: (name, processor, concurrency) =>
      registerPart(new Worker(name, processor, { ...consumer, concurrency, ...recovery }, factory)),
    close: async () => {
      closing.abort();
      watch.stop();
      await store.close();
    },
  };
}

/** Not `queue.add`, which makes an object with all methods of a job for each call. */
async function addJob(queue: ParleyQueue, { jobId, name, data }: NewJob, addedAt: number): Promise<void> {
  const job = {
    id: jobId,
    name,
    data: JSON.stringify(data),
    opts: jobOptions,
    timestamp: Math.round(addedAt),
  };
  await queue.getBackend().addJob(job as JobJson, jobId);
}

/**
 * Closes a queue, worker or listener, also while its connection is broken. BullMQ's `close` then rejects, or waits for a
 * connection, and its `disconnect` may wait for an event that ioredis never sends: nobody waits for that.
 */
export async function closePart(part: {
  close(): Promise<void>;
  disconnect(): Promise<void>;
}): Promise<void> {
  const giveUp = () => {
    void part.disconnect().catch(() => undefined);
    // Of a worker; not exposed. Its timer would keep the process alive.
    void (part as { lockManager?: { close(): Promise<void> } }).lockManager?.close();
  };
  await withinMs(part.close(), CLOSE_PART_WITHIN_MS).catch(giveUp);
}

/** Creates or migrates BullMQ's tables in PostgreSQL; for the `release` step if there is no Redis. */
export async function migrateQueues(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

/** Each queue, worker and listener gets a pool of two: with a shared pool they deadlock when it is exhausted. */
function postgresConnections(databaseUrl: string) {
  // A crash may lose the last commits, which only affects requests in flight, so commits need not wait for the disk.
  const shared = { connectionString: databaseUrl, max: 2, options: '-c synchronous_commit=off' };
  const consumer = { ...shared, connectionTimeoutMillis: 5_000 };
  const producer = { ...shared, connectionTimeoutMillis: QUERY_TIMEOUT_MS, query_timeout: QUERY_TIMEOUT_MS };
  return { producer, consumer } as unknown as ReturnType<typeof makeRedisConnections>;
}
