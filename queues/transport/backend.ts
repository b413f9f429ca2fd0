import { type JobJson, runMigrations } from 'bullmq';
import pg from 'pg';
import { SettingError } from '../../platform/field-error.ts';
import { withinMs } from '../../platform/link-signals.ts';
import { errorOfLogin } from '../../platform/refused-login.ts';
import { CLOSE_PART_WITHIN_MS } from '../../platform/shutdown-limits.ts';
import { jobOptions } from './job-limits.ts';
import { makeParts, type OpenStore, type ParleyQueue, type Parts, type PartsOptions } from './parts.ts';
import { openPostgres } from './postgres/backend.ts';
import { FAIR_ORDER_SCHEMA } from './postgres/fair-order.ts';
import { openRedis } from './redis/backend.ts';
import type { QueuedJob } from './request.ts';
import type { JobEndEvents, Store } from './store.ts';
import { type Outage, StoreWatch } from './store-watch.ts';

/*
 * The only file that chooses the store of BullMQ: Redis if REDIS_URL is set, otherwise PostgreSQL. Features that BullMQ
 * does not offer on both (the store's clock, the state of many jobs at once, the age of the oldest waiting job) are
 * queried directly: see `Store`.
 */

export interface Backend
  extends Pick<Store, 'findFinished' | 'findPending' | 'backlog'>,
    Pick<OpenStore, 'polling' | 'maxConcurrentAdds'>,
    Omit<Parts, 'all'> {
  readonly kind: 'redis' | 'postgres';
  /** This process estimates the time on the store's clock. */
  now(): number;
  /** Whether the store accepted writes at the last check. */
  isReady(): boolean;
  onOutage(listener: (outage: Outage | undefined) => void): void;
  /** See `StoreWatch`. */
  cancellationWaitMs(jobAgeMs: number): number;
  /** Reports store errors that are already handled. */
  readonly onError: (error: Error) => void;
  /** Resolves when the store has the job. A job that it already has under this id stays unchanged. */
  addJob(queue: ParleyQueue, job: QueuedJob): Promise<void>;
  readonly ends: JobEndEvents;
  close(): Promise<void>;
}

/** `onError` is called for every failure of the store. */
export interface BackendOptions extends PartsOptions {
  readonly redisUrl?: string | undefined;
  readonly databaseUrl: string;
  /** Called for every successful check of the store. */
  readonly onSuccess?: () => void;
}

/** Waits for the store first: BullMQ queues created before it is reachable never recover. */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const { redisUrl, databaseUrl, onError, onSuccess = () => {} } = options;
  const open = redisUrl ? await openRedis(redisUrl, onError) : await openPostgres(databaseUrl, onError);
  const { store, polling, maxConcurrentAdds } = open;
  const watch = new StoreWatch(store, { onFailure: onError, onSuccess });
  try {
    await watch.start();
    // A store that is full may take writes again, one that refuses them to this user does not.
    const refused = errorOfLogin(redisUrl ? 'REDIS_URL' : 'DATABASE_URL', watch.outage?.error);
    if (refused instanceof SettingError) throw refused;
  } catch (error) {
    watch.stop();
    await store.close();
    throw errorOfLogin(redisUrl ? 'REDIS_URL' : 'DATABASE_URL', error);
  }
  const now = () => watch.now();
  const { all, ...parts } = makeParts(open, now, options);
  const ends = open.makeEnds();
  const closing = new AbortController();
  open.keepConnected({ all, ...parts }, ends, closing.signal);
  return {
    ...parts,
    kind: redisUrl ? 'redis' : 'postgres',
    polling,
    maxConcurrentAdds,
    now,
    isReady: () => watch.outage === undefined && store.isConnected(),
    onOutage: listener => watch.onChange(listener),
    cancellationWaitMs: jobAgeMs => watch.cancellationWaitMs(jobAgeMs),
    onError,
    findFinished: store.findFinished,
    findPending: store.findPending,
    backlog: store.backlog,
    addJob: (queue, job) => addJob(queue, job, now()),
    ends,
    close: async () => {
      closing.abort();
      watch.stop();
      // Usually there is nothing to close. If the start of the process failed, nobody else closes them.
      await Promise.all(all.map(part => closePart(part)));
      await Promise.all([ends.close(), store.close()]);
    },
  };
}

/**
 * `queue.add` would make an object with all methods of a job for each call. `addJob` of the backend is ours: see
 * `parley-backend.ts`.
 */
async function addJob(
  queue: ParleyQueue,
  { jobId, name, data, hostShare }: QueuedJob,
  addedAt: number,
): Promise<void> {
  const job = {
    id: jobId,
    name,
    data: JSON.stringify(data),
    opts: jobOptions,
    timestamp: Math.round(addedAt),
    hostShare,
  };
  await queue.getBackend().addJob(job as unknown as JobJson, jobId);
}

/** The limit for the first connection. */
const READY_WITHIN_MS = 10_000;

/** Rejects if a store that was lost during the start never becomes ready: then the process starts anew. */
export async function waitForPart(part: { waitUntilReady(): Promise<unknown> }): Promise<void> {
  await withinMs(part.waitUntilReady(), READY_WITHIN_MS);
}

/**
 * Closes a queue, worker or listener, also while its connection is broken. BullMQ's `close` then rejects, or waits for a
 * connection, and its `disconnect` may wait for an event that ioredis never sends: this waits for neither.
 */
export function closePart(part: ClosablePart): Promise<void> {
  const closed = closings.get(part) ?? closeOrGiveUp(part);
  closings.set(part, closed);
  return closed;
}

const closings = new WeakMap<ClosablePart, Promise<void>>();

interface ClosablePart {
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

async function closeOrGiveUp(part: ClosablePart): Promise<void> {
  const giveUp = () => void part.disconnect().catch(() => undefined);
  await withinMs(part.close(), CLOSE_PART_WITHIN_MS).catch(giveUp);
}

/**
 * Creates or migrates the tables of BullMQ in PostgreSQL, and ours beside them; the `release` step needs it if there is no Redis.
 */
export async function migrateQueues(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client);
    // One transaction does everything; two releases at once would disturb each other.
    await client.query(
      `select pg_advisory_xact_lock(hashtext('parley:queue-migrations')); ${FAIR_ORDER_SCHEMA}`,
    );
  } finally {
    await client.end();
  }
}
