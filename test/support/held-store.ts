import { Redis } from 'ioredis';
import pg from 'pg';
import type { Service } from './service.ts';

/**
 * Keeps the queue's store from being written to: no job can be completed. `release` lets all go on but those who
 * died meanwhile.
 */
export async function holdQueueStore({ settings }: Service): Promise<{ release(): Promise<void> }> {
  return settings.redisUrl ? holdRedis(settings.redisUrl) : holdPostgres(settings.databaseUrl);
}

async function holdRedis(url: string) {
  const redis = new Redis(url);
  await redis.call('CLIENT', 'PAUSE', 60_000, 'WRITE');
  return {
    async release() {
      await redis.call('CLIENT', 'UNPAUSE');
      redis.disconnect();
    },
  };
}

async function holdPostgres(connectionString: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('begin; lock table bullmq.job in exclusive mode');
  return {
    async release() {
      // PostgreSQL would not notice that a client died until it has done what the client asked for.
      await client.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      await client.query('rollback');
      await client.end();
    },
  };
}

/** Makes the queue's store forget every job that it has, as one that is lost and comes back empty would. */
export async function forgetJobs({ settings }: Service): Promise<void> {
  if (settings.redisUrl) {
    const redis = new Redis(settings.redisUrl);
    await redis.flushdb();
    redis.disconnect();
    return;
  }
  const client = new pg.Client({ connectionString: settings.databaseUrl });
  await client.connect();
  await client.query('delete from bullmq.job');
  await client.end();
}
