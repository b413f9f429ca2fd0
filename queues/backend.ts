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
import { makePostgresStore } from './postgres-store.ts';
import { makeRedisStore, redisConnections } from './redis-store.ts';
import type { JobReply, Store } from './store.ts';

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

export interface Backend extends Pick<Store, 'look' | 'backlog' | 'isReady'> {
  readonly kind: 'redis' | 'postgres';
  /** How long a completion event may stay away before the job itself is looked at. */
  readonly sweep: { readonly firstMs: number; readonly longestMs: number };
  /** The store's clock, as far as this process knows it. */
  now(): number;
  makeQueue(name: string): ParleyQueue;
  makeEvents(name: string): ParleyEvents;
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
  readonly onError: (error: Error) => void;
}

/** Often, since on PostgreSQL this is also how a lost connection is found to be back. */
const CLOCK_EVERY_MS = 1_000;
/** By the library's defaults a job whose worker died is found after a minute: the whole life of a turn. */
const recovery = { lockDuration: 6_000, stalledInterval: 2_500, maxStalledCount: 2 };
const eventStream = { events: { maxLen: 1_000 } };
/** In braces: then a store that spreads its keys over machines keeps all of these on one, as BullMQ's scripts need it. */
const REDIS_PREFIX = '{parley}';

/** Waits for the store: queues that were built before it stay dead. */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { redisUrl, databaseUrl, onError } = options;
  const kind = redisUrl ? 'redis' : 'postgres';
  const store = redisUrl
    ? await makeRedisStore(redisUrl, onError)
    : await makePostgresStore(databaseUrl, onError);
  const connections = redisUrl ? redisConnections(redisUrl) : postgresConnections(databaseUrl);
  const factory = (redisUrl ? createRedisBackend : createPostgresBackend) as BackendFactory<IQueueBackend>;
  const clock = await followClock(store, onError);
  const heard = <T extends { on(event: 'error', listener: (error: Error) => void): unknown }>(part: T): T => {
    part.on('error', onError);
    return part;
  };
  const place = redisUrl ? { prefix: REDIS_PREFIX } : {};
  const producer = { ...place, connection: connections.producer };
  const consumer = { ...place, connection: connections.consumer };
  return {
    kind,
    sweep: redisUrl ? { firstMs: 250, longestMs: 2_000 } : { firstMs: 50, longestMs: 50 },
    now: clock.now,
    look: store.look,
    backlog: store.backlog,
    isReady: store.isReady,
    makeQueue: name => heard(new Queue(name, { ...producer, streams: eventStream }, factory)),
    makeEvents: name => heard(new QueueEvents(name, consumer, factory)),
    makeEventsProducer: name => heard(new QueueEventsProducer(name, producer, factory)),
    makeWorker: (name, processor, concurrency) =>
      heard(new Worker(name, processor, { ...consumer, concurrency, ...recovery }, factory)),
    close: async () => {
      clock.stop();
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
  const producer = { ...shared, connectionTimeoutMillis: 2_000, query_timeout: 2_000 };
  return { producer, consumer } as unknown as ReturnType<typeof redisConnections>;
}

/** With fractions of milliseconds, which tell the order of requests that come at once. */
const preciseNow = (): number => performance.timeOrigin + performance.now();

async function followClock(store: Store, onError: (error: Error) => void) {
  let offset = 0;
  const read = async () => {
    const before = preciseNow();
    const there = await store.clock();
    offset = there - (before + preciseNow()) / 2;
  };
  await read();
  const timer = setInterval(() => void read().catch(onError), CLOCK_EVERY_MS).unref();
  return { now: () => preciseNow() + offset, stop: () => clearInterval(timer) };
}
