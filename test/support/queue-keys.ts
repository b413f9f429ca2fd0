import type { Redis } from 'ioredis';
import type { StoredQueue } from './queue-twin.ts';

const TIMES = new Set(['processedOn', 'finishedOn']);

/**
 * The time of the last stall check expires by itself, at a slightly different moment in each run. The counter of the
 * priorities begins anew when nothing waits, in ours with the last job and in BullMQ's with the next take.
 */
const UNSTEADY = /:(events|stalled-check|pc)$/;

/** All keys of BullMQ with all their fields, except the event streams. */
export async function readQueueKeys(redis: Redis): Promise<StoredQueue> {
  const keys = (await redis.keys('*')).filter(key => !UNSTEADY.test(key)).toSorted();
  const values = await Promise.all(keys.map(async key => [key, await readKey(redis, key)]));
  return Object.fromEntries(values) as StoredQueue;
}

async function readKey(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return maskFields(await redis.hgetall(key));
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'zset':
      return key.endsWith(':prioritized')
        ? redis.zrange(key, '0', '-1')
        : (await redis.zrange(key, '0', '-1')).toSorted();
    case 'set':
      return (await redis.smembers(key)).toSorted();
    default:
      return key.endsWith(':lock') ? readLock(redis, key) : redis.get(key);
  }
}

/** Its value differs; all that matters is that it expires. */
async function readLock(redis: Redis, key: string): Promise<string> {
  return (await redis.pttl(key)) > 0 ? 'expires' : 'stays';
}

function maskFields(fields: Record<string, string>): Record<string, unknown> {
  const mask = ([name, value]: [string, string]) => {
    if (TIMES.has(name)) return [name, 'time'];
    // The order of the options differs.
    return [name, name === 'opts' ? JSON.parse(value) : value];
  };
  return Object.fromEntries(Object.entries(fields).map(mask)) as Record<string, unknown>;
}
