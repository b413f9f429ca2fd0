import { Redis } from 'ioredis';
import { FINISHED_JOB_SECONDS } from '../../queues/transport/job-limits.ts';
import { readQueueKeys } from './queue-keys.ts';
import { RENEWED_MS, type TwinStore } from './queue-twin.ts';

export interface RedisTwin extends TwinStore {
  readonly redis: Redis;
}

const keyOf = (name: string) => `{parley}:turns:${name}`;

export function makeRedisTwin(redisUrl: string): RedisTwin {
  const redis = new Redis(redisUrl);
  return {
    redis,
    address: { redisUrl, databaseUrl: '' },
    prolongLocks: ids => Promise.all(ids.map(id => redis.pexpire(keyOf(`${id}:lock`), RENEWED_MS))),
    loseLock: id => redis.del(keyOf(`${id}:lock`)),
    dropWake: () => redis.del(keyOf('marker')),
    forgetStallCheck: () => redis.del(keyOf('stalled-check')),
    sortStalled: async () => {},
    async age() {
      const old = Date.now() - 2 * FINISHED_JOB_SECONDS * 1_000;
      const key = keyOf('completed');
      for (const id of await redis.zrange(key, '0', '-1')) await redis.zadd(key, old, id);
    },
    read: () => readQueueKeys(redis),
    async close() {
      redis.disconnect();
    },
  };
}
