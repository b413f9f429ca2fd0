import pg from 'pg';
import { askDatabase } from '../support/ask-database.ts';
import { onEachServer, openRedisClient } from '../support/own-redis.ts';
import type { Service } from '../support/service.ts';

/**
 * Blocks writes to the queue store: no job can be completed. After `release` all continue except those that died
 * meanwhile.
 */
export async function holdQueueStore({ settings }: Service): Promise<{ release(): Promise<void> }> {
  return settings.redisUrl ? holdRedis(settings.redisUrl) : holdPostgres(settings.databaseUrl);
}

async function holdRedis(url: string) {
  const redis = openRedisClient(url);
  await onEachServer(redis, server => server.call('CLIENT', 'PAUSE', 60_000, 'WRITE'));
  return {
    async release() {
      await onEachServer(redis, server => server.call('CLIENT', 'UNPAUSE'));
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
      // PostgreSQL notices that a client died only after the statement.
      await client.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      await client.query('rollback');
      await client.end();
    },
  };
}

/** Deletes all jobs of the queue store, like a store that is lost and returns empty. */
export async function forgetJobs({ settings }: Service): Promise<void> {
  if (settings.redisUrl) {
    const redis = openRedisClient(settings.redisUrl);
    await onEachServer(redis, server => server.flushdb());
    redis.disconnect();
    return;
  }
  await askDatabase(settings.databaseUrl, 'delete from bullmq.job');
}
