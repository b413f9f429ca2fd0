import { Cluster, Redis } from 'ioredis';
import { makeOwnCluster } from './own-cluster.ts';
import { type OwnRedis, RedisServer, startOnFreePort } from './redis-server.ts';

const store = process.env['STORE'];

/** Whether this run is on Redis, or on a cluster: `npm test` needs none. */
export const usesRedis = store === 'redis' || store === 'cluster' || Boolean(process.env['REDIS_URL']);
export const usesCluster = store === 'cluster';

/** `describe` for tests that start a Redis: pending in a run without. */
export function describeWithRedis(title: string, define: (this: Mocha.Suite) => void): void {
  // Read at each call: with `--parallel`, a process loads this module once, and each test file has its own `describe`.
  (usesRedis ? describe : describe.skip)(title, define);
}

/** For tests of one server, which a run on a cluster leaves out. */
export function describeWithOneRedis(title: string, define: (this: Mocha.Suite) => void): void {
  (usesRedis && !usesCluster ? describe : describe.skip)(title, define);
}

/** With STORE=cluster a cluster. */
export async function makeOwnRedis(): Promise<OwnRedis> {
  if (usesCluster) return makeOwnCluster();
  const server = await startOnFreePort(port => new RedisServer(port, ['--databases', '64']));
  return {
    url: `redis://127.0.0.1:${server.port}/0`,
    kill: () => server.kill(),
    start: () => server.start(),
    freeze: () => server.freeze(),
    goOn: () => server.goOn(),
  };
}

/** The name of connections that are no part of what is tested. */
export const TEST_CONNECTION = 'parley-test';

/** For what a test does to a store by hand. */
export function openRedisClient(url: string): Redis | Cluster {
  const options = { connectionName: TEST_CONNECTION };
  return url.includes(',') ? new Cluster(url.split(','), { redisOptions: options }) : new Redis(url, options);
}

/** For commands without a key. */
export async function onEachServer<T>(
  client: Redis | Cluster,
  work: (server: Redis) => Promise<T>,
  role: 'master' | 'all' = 'master',
): Promise<T[]> {
  if (!(client instanceof Cluster)) return [await work(client)];
  // Until then it knows no nodes.
  await client.cluster('INFO');
  return Promise.all(client.nodes(role).map(work));
}

export async function allKeys(client: Redis | Cluster, pattern: string): Promise<string[]> {
  return (await onEachServer(client, server => server.keys(pattern))).flat();
}
