import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { FinishedJob, Store, StoredQueue } from './store.ts';

const FIRST_CONNECTION_MS = 10_000;
const OLDEST_REDIS = [6, 2] as const;
const retryStrategy = (times: number): number => Math.min(times * 100, 1_000);

/** A producer refuses at once while Redis is away; a consumer waits for it. */
export function redisConnections(url: string) {
  const shared = { url, retryStrategy, maxRetriesPerRequest: null };
  return {
    producer: { ...shared, enableOfflineQueue: false, commandTimeout: 1_000 },
    consumer: shared,
  };
}

/** Our own connection beside BullMQ's. Fails when Redis does not answer, or would throw jobs away. */
export async function makeRedisStore(url: string, onError: (error: Error) => void): Promise<Store> {
  const redis = new Redis(url, {
    retryStrategy,
    enableAutoPipelining: true,
    commandTimeout: 1_000,
    lazyConnect: true,
  });
  redis.on('error', onError);
  await firstConnection(redis);
  await demandNewEnough(redis);
  await demandNoEviction(redis);
  return {
    clock: async () => {
      const [seconds, micros] = await redis.time();
      return Number(seconds) * 1_000 + Number(micros) / 1_000;
    },
    look: async (queue, ids) => {
      const seen = await Promise.all(ids.map(id => finishedJobOf(queue, id)));
      return seen.filter(job => job !== undefined);
    },
    backlog: async queue => backlogOf(redis, queue),
    isReady: () => redis.status === 'ready',
    close: async () => void (await redis.quit().catch(() => redis.disconnect())),
  };
}

async function finishedJobOf(queue: StoredQueue, id: string): Promise<FinishedJob | undefined> {
  const state = await queue.getJobState(id);
  if (state === 'unknown') return { id, state: 'missing' };
  if (state !== 'completed' && state !== 'failed') return undefined;
  const job = await queue.getJob(id);
  return job ? { id, state, reply: job.returnvalue } : { id, state: 'missing' };
}

async function backlogOf(redis: Redis, queue: StoredQueue) {
  const waiting = queue.toKey('wait');
  const [depth, [oldestId]] = await Promise.all([redis.llen(waiting), redis.lrange(waiting, -1, -1)]);
  const added = oldestId ? await redis.hget(queue.toKey(oldestId), 'timestamp') : null;
  return { depth, oldest: added ? Number(added) : undefined };
}

async function firstConnection(redis: Redis): Promise<void> {
  const limit = AbortSignal.timeout(FIRST_CONNECTION_MS);
  redis.connect().catch(() => undefined);
  while (redis.status !== 'ready') {
    if (limit.aborted) {
      redis.disconnect();
      throw new Error('Redis did not answer within 10 s: check REDIS_URL');
    }
    await delay(25);
  }
}

/** Valkey tells the version of Redis that it stands for. Who tells none is taken as it is. */
async function demandNewEnough(redis: Redis): Promise<void> {
  const told = await redis.info('server').catch(() => '');
  const [, major, minor] = /^redis_version:(\d+)\.(\d+)/m.exec(told) ?? [];
  if (major === undefined || !isOlder(Number(major), Number(minor))) return;
  redis.disconnect();
  throw new Error(
    `Redis ${OLDEST_REDIS.join('.')} or newer is needed; this server is version ${major}.${minor}`,
  );
}

function isOlder(major: number, minor: number): boolean {
  return major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1]);
}

async function demandNoEviction(redis: Redis): Promise<void> {
  const [, policy] = (await redis.config('GET', 'maxmemory-policy').catch(() => [])) as string[];
  if (policy && policy !== 'noeviction') {
    redis.disconnect();
    throw new Error(`Redis must run with maxmemory-policy noeviction, not ${policy}: it would drop jobs`);
  }
}
