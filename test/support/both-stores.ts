import type { Cluster, Redis } from 'ioredis';
import pg from 'pg';
import { type BackendOptions, migrateQueues } from '../../queues/transport/backend.ts';
import { makeDatabase, type TestDatabase } from './database.ts';
import { makeOwnRedis, type OwnRedis, openRedisClient, usesRedis } from './own-redis.ts';

/** An empty store of queues, whichever store the other tests use. */
export interface OwnStore {
  /** Returns its address. */
  open(): Promise<Pick<BackendOptions, 'redisUrl' | 'databaseUrl'>>;
  /** What is stored of the fair order of turns is gone. */
  loseFairOrder(): Promise<void>;
  /** As if so many turns of a host with share 1 had been taken since the numbers were lowered. */
  advanceFairOrder(virtualTime: number): Promise<void>;
  close(): Promise<void>;
}

function useRedis(): OwnStore {
  let server: OwnRedis;
  const withRedis = async (work: (redis: Redis | Cluster) => Promise<unknown>) => {
    const redis = openRedisClient(server.url);
    await work(redis).finally(() => redis.disconnect());
  };
  return {
    async open() {
      server = await makeOwnRedis();
      return { redisUrl: server.url, databaseUrl: '' };
    },
    loseFairOrder: () => withRedis(redis => redis.del('{parley:turns}:turns:fair-order')),
    advanceFairOrder: virtualTime =>
      withRedis(redis => redis.zadd('{parley:turns}:turns:fair-order', virtualTime, '')),
    close: () => server.kill(),
  };
}

function usePostgres(): OwnStore {
  let database: TestDatabase;
  const run = async (statement: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(statement, values);
    } finally {
      await client.end();
    }
  };
  return {
    async open() {
      database = await makeDatabase('empty');
      await migrateQueues(database.url);
      return { databaseUrl: database.url };
    },
    loseFairOrder: () => run('delete from bullmq.fair_order'),
    advanceFairOrder: virtualTime =>
      run(`insert into bullmq.fair_order values ('turns', '', $1)`, [virtualTime]),
    close: () => database.drop(),
  };
}

type NamedStore = readonly [name: string, store: OwnStore];
const redis: NamedStore = ['Redis', useRedis()];

/** In a run without Redis PostgreSQL only. */
export const bothStores: readonly NamedStore[] = [
  ...(usesRedis ? [redis] : []),
  ['PostgreSQL', usePostgres()],
];
