import {
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  type IQueueBackend,
  Queue,
  QueueEvents,
  QueueEventsProducer,
  runMigrations,
  Worker,
} from 'bullmq';
import pg from 'pg';
import { makePostgresStore, SOON_MS } from './postgres-store.ts';
import { makeRedisStore, redisConnections } from './redis-store.ts';
import type { JobReply, Store } from './store.ts';
import { type Outage, StoreWatch } from './store-watch.ts';

/*
 * The one file that knows on which store BullMQ stands: Redis where REDIS_URL is given, else PostgreSQL. What
 * BullMQ itself does not offer on both (the store's clock, one look at many jobs, the age of the oldest waiting
 * job) is asked of the store directly: see `Store`.
 */

/** What is readable of a job in the queue's store, by an operator too; all else is sealed. */
export interface JobData {
  readonly requestId: string;
  readonly hostId: string | null;
  /** Milliseconds on the store's clock. */
  readonly deadline: number;
  /** Of a job under an Idempotency-Key. */
  readonly bodyMac?: string;
  readonly sealed: string;
}

export type ParleyQueue = Queue<JobData, JobReply, string, JobData, JobReply, string, IQueueBackend>;
export type ParleyWorker = Worker<JobData, JobReply, string, IQueueBackend>;
export type ParleyEvents = QueueEvents<JobReply, IQueueBackend>;

export interface Backend extends Pick<Store, 'findFinished' | 'backlog'> {
  readonly kind: 'redis' | 'postgres';
  /** How long a completion event may stay away before the job itself is looked at. */
  readonly sweep: { readonly firstMs: number; readonly longestMs: number };
  /** The store's clock, as far as this process knows it. */
  now(): number;
  /** Whether the store takes jobs, as of the last look at it. */
  isReady(): boolean;
  onOutage(listener: (outage: Outage | undefined) => void): void;
  /** See `StoreWatch`. */
  unsettledMs(jobAgeMs: number): number;
  /** For what went wrong with the store and is answered for already. */
  readonly onError: (error: Error) => void;
  makeQueue(name: string): ParleyQueue;
  /** `fromStart`: events that the store still has are heard again. */
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
  /** Told what goes wrong with the store, over and over while it does. */
  readonly onError: (error: Error) => void;
  /** Told at every look that found the store well. */
  readonly onSuccess?: () => void;
  /** Told of a job that this process had and that another may have taken by now. */
  readonly onLockLost?: (error: Error) => void;
}

/** By the library's defaults a job whose worker died is found after a minute: the whole life of a turn. */
const recovery = {
  lockDuration: 6_000,
  stalledInterval: 2_500,
  maxStalledCount: 2,
  // After an error that is no lost connection; by default a worker rests for 15 s, and jobs with it.
  runRetryDelay: 1_000,
};
const isLockError = (error: Error) =>
  /^(could not renew lock for|Missing lock for|Lock mismatch for) job/.test(error.message);
const eventStream = { events: { maxLen: 1_000 } };
/** In braces: then a store that spreads its keys over machines keeps all of these on one, as BullMQ's scripts need it. */
const REDIS_PREFIX = '{parley}';

/** Waits for the store: queues that were built before it stay dead. */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { redisUrl, databaseUrl, onError, onLockLost = () => {} } = options;
  const kind = redisUrl ? 'redis' : 'postgres';
  const parts: object[] = [];
  const store = redisUrl
    ? await makeRedisStore(redisUrl, { onError, onOtherServer: () => parts.forEach(reconnect) })
    : await makePostgresStore(databaseUrl, onError);
  const connections = redisUrl ? redisConnections(redisUrl) : postgresConnections(databaseUrl);
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
  const place = redisUrl ? { prefix: REDIS_PREFIX } : {};
  const producer = { ...place, connection: connections.producer };
  const consumer = { ...place, connection: connections.consumer };
  return {
    kind,
    sweep: redisUrl ? { firstMs: 250, longestMs: 2_000 } : { firstMs: 50, longestMs: 50 },
    now: () => watch.now(),
    isReady: () => watch.outage === undefined && store.isConnected(),
    onOutage: listener => watch.onChange(listener),
    unsettledMs: jobAgeMs => watch.unsettledMs(jobAgeMs),
    onError,
    findFinished: store.findFinished,
    backlog: store.backlog,
    makeQueue: name => registerPart(new Queue(name, { ...producer, streams: eventStream }, factory)),
    makeEvents: (name, { fromStart } = { fromStart: false }) =>
      registerPart(
        new QueueEvents(name, { ...consumer, ...(fromStart ? { lastEventId: '0' } : {}) }, factory),
      ),
    makeEventsProducer: name => registerPart(new QueueEventsProducer(name, producer, factory)),
    makeWorker: (name, processor, concurrency) =>
      registerPart(new Worker(name, processor, { ...consumer, concurrency, ...recovery }, factory)),
    close: async () => {
      watch.stop();
      await store.close();
    },
  };
}

/** Makes or brings up to date BullMQ's own tables; for the `release` step, where there is no Redis. */
export async function migrateQueues(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

/** A pool for each part, of two: one shared pool hangs as soon as workers and listeners hold all of it. */
function postgresConnections(databaseUrl: string) {
  // Losing the queue's last moments costs only requests in flight, so its commits need not wait for the disk.
  const shared = { connectionString: databaseUrl, max: 2, options: '-c synchronous_commit=off' };
  const consumer = { ...shared, connectionTimeoutMillis: 5_000 };
  const producer = { ...shared, connectionTimeoutMillis: SOON_MS, query_timeout: SOON_MS };
  return { producer, consumer } as unknown as ReturnType<typeof redisConnections>;
}

/**
 * Makes the connection of a part to Redis anew. One that only listens, or has nothing to send, would not find out that it
 * leads to what is a replica since a failover. The library shows its connections to nobody.
 */
function reconnect(part: object): void {
  const { backend } = part as { backend: { client: Promise<{ disconnect(again: boolean): void }> } };
  backend.client.then(client => client.disconnect(true)).catch(() => {});
}
