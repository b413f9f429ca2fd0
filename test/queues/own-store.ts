import type { Cluster, Redis } from 'ioredis';
import type { QueueName } from '../../queues/contract/queues.ts';
import { type Backend, type BackendOptions, openBackend } from '../../queues/transport/backend.ts';
import type { ParleyQueue, ParleyWorker } from '../../queues/transport/parts.ts';
import { askDatabase } from '../support/ask-database.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';
import { allKeys, makeOwnRedis, openRedisClient, usesRedis } from '../support/own-redis.ts';
import type { OwnRedis } from '../support/redis-server.ts';

/** An empty store of queues, of the kind of the run. */
interface OwnStore {
  open(): Promise<Pick<BackendOptions, 'redisUrl' | 'databaseUrl'>>;
  /** Deletes what is stored of the fair order of turns. */
  loseFairOrder(): Promise<void>;
  /** As if so many turns of a host with share 1 had been taken since the numbers were lowered. */
  advanceFairOrder(virtualTime: number): Promise<void>;
  /** As if no lock of a turn that runs had been renewed. */
  expireLocks(): Promise<void>;
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
    expireLocks: () =>
      withRedis(async redis => {
        const locks = await allKeys(redis, '{parley:turns}:turns:*:lock');
        if (locks.length > 0) await redis.del(locks);
      }),
    close: () => server.kill(),
  };
}

function usePostgres(): OwnStore {
  let database: TestDatabase;
  const run = async (statement: string, values?: unknown[]) => {
    await askDatabase(database.url, statement, values);
  };
  return {
    async open() {
      database = await makeDatabase('empty', { hasQueues: true });
      return { databaseUrl: database.url };
    },
    loseFairOrder: () => run('delete from bullmq.fair_order'),
    advanceFairOrder: virtualTime =>
      run(`insert into bullmq.fair_order values ('turns', '', $1)`, [virtualTime]),
    expireLocks: () =>
      run(`update bullmq.job set locked_until_ms = 0 where queue = 'turns' and state = 'active'`),
    close: () => database.drop(),
  };
}

/** `npm test` has the tests on PostgreSQL, a run with Redis those on Redis. */
export const ownStore: OwnStore & { readonly name: 'Redis' | 'PostgreSQL' } = usesRedis
  ? { name: 'Redis', ...useRedis() }
  : { name: 'PostgreSQL', ...usePostgres() };

interface OwnQueue {
  readonly backend: Backend;
  readonly queue: ParleyQueue;
  /** Without work it takes only what the test asks for. */
  openWorker(slots: number, work?: Parameters<Backend['makeWorker']>[1] | null): Promise<ParleyWorker>;
  /** Those of another process. */
  openBeside(isBatched?: boolean): Promise<Pick<OwnQueue, 'backend' | 'queue' | 'openWorker'>>;
  close(): Promise<void>;
}

/** A queue in a store that each test has anew, with the workers and processes that the test opens on it. */
export function openOwnQueue(name: QueueName): OwnQueue {
  return openEach(async () => {
    const address = await ownStore.open();
    const backends: Backend[] = [];
    const parts: { close(): Promise<void> }[] = [];
    const ready = async <T extends ParleyQueue | ParleyWorker>(part: T): Promise<T> => {
      parts.push(part);
      await part.waitUntilReady();
      return part;
    };
    const openBeside: OwnQueue['openBeside'] = async (isBatched = true) => {
      const backend = await openBackend({ ...address, onError: () => {}, isBatched: () => isBatched });
      backends.push(backend);
      return {
        backend,
        queue: await ready(backend.makeQueue(name)),
        openWorker: (slots, work = null) => ready(backend.makeWorker(name, work, slots)),
      };
    };
    return {
      ...(await openBeside()),
      openBeside,
      async close() {
        await Promise.all(parts.map(part => part.close()));
        await Promise.all(backends.map(backend => backend.close()));
        await ownStore.close();
      },
    };
  });
}
