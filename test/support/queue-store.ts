import type { Cluster, Redis } from 'ioredis';
import type { Db } from '../../db/connection.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { readConfig } from '../../platform/config.ts';
import { type QueueName, queueNames } from '../../queues/contract/queues.ts';
import { openBackend } from '../../queues/transport/backend.ts';
import { askDatabase } from './ask-database.ts';
import { type DatabaseOptions, makeDatabase, type Template } from './database.ts';
import { eventually } from './eventually.ts';
import { allKeys, makeOwnRedis, onEachServer, openRedisClient, TEST_CONNECTION } from './own-redis.ts';

export interface QueueStore {
  readonly redisUrl: string | undefined;
  readonly databaseUrl: string;
  storedText(): Promise<string>;
  /** Throws if a connection to it is still open. */
  drop(): Promise<void>;
}

/** All that a store holds of its jobs, as text. */
export function textOfStore(
  store: Pick<QueueStore, 'databaseUrl'> & { redisUrl?: string | undefined },
): Promise<string> {
  return store.redisUrl === undefined ? textOfPostgres(store.databaseUrl) : textOfRedis(store.redisUrl);
}

/** How many jobs of a store wait or run, in all queues. */
export async function countOpenJobs({ redisUrl }: QueueStore, db: Db): Promise<number> {
  if (redisUrl !== undefined) return openJobsOfRedis(redisUrl);
  const [row] = await rowsOf<{ count: number }>(db)`
    select count(*)::integer from bullmq.job where state in ('waiting', 'active')`;
  return row?.count ?? 0;
}

/** An empty queue store: a database of the Redis at REDIS_URL when that is set, else one of PostgreSQL. */
export async function makeQueueStore(
  template: Template = 'migrated',
  options?: DatabaseOptions,
): Promise<QueueStore> {
  const configuredUrl = readConfig().redisUrl;
  if (configuredUrl === undefined) return makePostgresQueueStore(template, options);
  const { url: databaseUrl, drop } = await makeDatabase(template, options);
  const { redisUrl, release } = await claimRedis(configuredUrl);
  const dropBoth = async () => {
    await drop();
    await release();
  };
  return { redisUrl, databaseUrl, storedText: () => textOfRedis(redisUrl), drop: dropBoth };
}

interface ClaimedRedis {
  readonly redisUrl: string;
  release(): Promise<void>;
}

/** A database of that Redis; or that cluster, which has only one, or another if it is claimed. */
async function claimRedis(configuredUrl: string): Promise<ClaimedRedis> {
  if (configuredUrl.includes(',')) return claimCluster(configuredUrl);
  const number = await withRedis(configuredUrl, redis => claimNumber(redis as Redis));
  const redisUrl = new URL(`/${number}`, configuredUrl).href;
  await withRedis(redisUrl, redis => redis.flushdb());
  const release = () =>
    withRedis(configuredUrl, async redis => {
      await assertNoConnections(redis, ` db=${number} `);
      await redis.del(claimOf(number));
    });
  return { redisUrl, release };
}

async function claimCluster(configuredUrl: string): Promise<ClaimedRedis> {
  const claim = (redis: Redis | Cluster) => redis.set(claimOf(0), process.pid, 'EX', CLAIM_S, 'NX');
  const own = (await withRedis(configuredUrl, claim)) ? undefined : await makeOwnRedis();
  const redisUrl = own?.url ?? configuredUrl;
  const release = async () => {
    await withRedis(redisUrl, async redis => {
      await assertNoConnections(redis, ' db=0 ');
      await onEachServer(redis, server => server.flushdb());
    });
    await own?.kill();
  };
  return { redisUrl, release };
}

export async function makePostgresQueueStore(
  template: Template,
  options?: DatabaseOptions,
): Promise<QueueStore> {
  const { url: databaseUrl, drop } = await makeDatabase(template, { ...options, hasQueues: true });
  return { redisUrl: undefined, databaseUrl, storedText: () => textOfPostgres(databaseUrl), drop };
}

/** Longer than a file of tests takes. */
const CLAIM_S = 1_800;

/** A Redis database of our own beside the ones of parallel runs: without connections, and claimed in database 0. */
async function claimNumber(redis: Redis): Promise<number> {
  const [, databases] = await redis.config('GET', 'databases');
  const inUse = new Set(
    Array.from(String(await redis.client('LIST')).matchAll(/ db=(\d+) /g), ([, db]) => Number(db)),
  );
  for (let number = 1; number < Number(databases); number += 1) {
    if (inUse.has(number)) continue;
    if (await redis.set(claimOf(number), process.pid, 'EX', CLAIM_S, 'NX')) return number;
  }
  throw new Error(`all ${databases} databases of this Redis are in use: start it with --databases 64`);
}

function claimOf(number: number): string {
  return `parley-test-database-${number}`;
}

async function withRedis<T>(url: string, work: (redis: Redis | Cluster) => Promise<T>): Promise<T> {
  const redis = openRedisClient(url);
  return work(redis).finally(() => redis.disconnect());
}

/** A closed connection may remain visible for a moment. */
async function assertNoConnections(redis: Redis | Cluster, marked: string): Promise<void> {
  const clients = async () =>
    (await onEachServer(redis, server => server.client('LIST'))).join('\n').split('\n');
  const isLeft = (client: string) =>
    client.includes(marked) && !client.includes(`name=${TEST_CONNECTION} `) && !/ flags=[MS] /.test(client);
  const left = async () => (await clients()).filter(isLeft);
  await eventually(left, seen => seen.length === 0);
}

async function textOfPostgres(url: string): Promise<string> {
  const text =
    'select (select json_agg(job)::text from bullmq.job), (select json_agg(event)::text from bullmq.event) as events';
  return JSON.stringify(await askDatabase(url, text));
}

function openJobsOfRedis(url: string): Promise<number> {
  return withRedis(url, async redis => {
    const lists = [...(await allKeys(redis, '*:wait')), ...(await allKeys(redis, '*:active'))];
    const sets = await allKeys(redis, '*:prioritized');
    const counts = [...lists.map(key => redis.llen(key)), ...sets.map(key => redis.zcard(key))];
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  });
}

function textOfRedis(url: string): Promise<string> {
  return withRedis(url, async redis => {
    const read = async (key: string) => {
      const type = await redis.type(key);
      if (type === 'hash') return redis.hgetall(key);
      if (type === 'stream') return redis.xrange(key, '-', '+');
      return type === 'string' ? redis.get(key) : type;
    };
    const values = (await allKeys(redis, '*')).map(async key => [key, await read(key)]);
    return JSON.stringify(await Promise.all(values));
  });
}

/** As the queue store does after a minute. */
export async function forgetJobs(
  settings: Pick<QueueStore, 'databaseUrl'> & { redisUrl?: string | undefined },
): Promise<void> {
  const backend = await openBackend({ ...settings, onError: () => {} });
  const forget = async (name: QueueName) => {
    const queue = backend.makeQueue(name);
    // Not `queue.clean`, which reads the clock of this machine: jobs that end at this moment may be left.
    const clean = () =>
      queue.getBackend().cleanJobsByState('completed', Math.round(backend.now()) + 1_000, 1_000);
    await eventually(() => clean().then(() => queue.getJobCountByTypes('completed')), 0);
    await queue.close();
  };
  try {
    // One after the other, over one connection: at once, each would open its own.
    for (const name of queueNames) await forget(name);
  } finally {
    await backend.close();
  }
}
