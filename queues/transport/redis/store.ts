import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import { SettingError } from '../../../platform/field-error.ts';
import { withinMs } from '../../../platform/link-signals.ts';
import { errorOfLogin } from '../../../platform/refused-login.ts';
import { CLOSE_PART_WITHIN_MS } from '../../../platform/shutdown-limits.ts';
import { queueNames } from '../../contract/queues.ts';
import {
  type Backlog,
  type FinishedJob,
  type JobData,
  type JobEndEvents,
  type JobReply,
  mergeBacklogs,
  type PendingJob,
  type RecentEnds,
  type Store,
  type StoredQueue,
} from '../store.ts';
import { ADD_TIMEOUT_MS, keyPrefixOf, type RedisClient } from './connections.ts';
import { FAIR_ORDER_KEY, READ_BACKLOG } from './fair-order.ts';

/** One attempt of the start may take this long. */
const FIRST_CONNECTION_MS = 15_000;
const MIN_REDIS_VERSION = [6, 2] as const;
const CANCEL_WITHIN_MS = 2_500;
const PROBE_KEPT_MS = 10_000;

export interface RedisStore extends Store {
  /** Finds only jobs that BullMQ still keeps. */
  readonly findEnds: JobEndEvents['find'];
  /** Calls back if a new connection leads to another server than the previous one. */
  onOtherServer(listener: () => void): void;
}

/** Works beside the connections of BullMQ. Throws if Redis does not answer, is too old, or may evict jobs. */
export async function makeRedisStore(
  redis: RedisClient,
  onError: (error: Error) => void,
): Promise<RedisStore> {
  redis.on('error', onError);
  await waitForConnection(redis);
  await checkServers(redis).catch((error: unknown) => {
    redis.disconnect();
    throw error;
  });
  // A cluster spreads the queues over several masters.
  const probes = queueNames.map(name => `${keyPrefixOf(name)}:probe:${process.pid}`) as [string];
  return {
    clock: () => readClock(redis, probes[0]),
    findFinished: async (queue, ids) => {
      const jobs = await Promise.all(ids.map(id => readFinishedJob(redis, queue, id)));
      return jobs.filter(job => job !== undefined);
    },
    findPending: async (queue, ids) => {
      const jobs = await Promise.all(ids.map(id => readPendingJob(redis, queue, id)));
      return jobs.filter(job => job !== undefined);
    },
    backlog: async queue => backlogOf(redis, queue),
    findEnds: (queue, since) => findEnds(redis, queue, since),
    onOtherServer: listener => watchServer(redis, listener),
    addTimeoutMs: ADD_TIMEOUT_MS,
    cancelWithinMs: CANCEL_WITHIN_MS,
    isConnected: () => redis.status === 'ready',
    write: async () =>
      void (await Promise.all(probes.map(probe => redis.set(probe, '', 'PX', PROBE_KEPT_MS)))),
    close: () =>
      withinMs(redis.quit(), CLOSE_PART_WITHIN_MS).then(
        () => {},
        () => redis.disconnect(),
      ),
  };
}

/** Reads the clock of the key's master, to which the pipeline goes: the clocks of other masters may differ. */
async function readClock(redis: RedisClient, key: string): Promise<number> {
  const [, [error, time] = [new Error('no reply')]] =
    (await redis.pipeline().exists(key).time().exec()) ?? [];
  if (error) throw error;
  const [seconds, micros] = time as [string, string];
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

function watchServer(redis: RedisClient, onOtherServer: () => void): void {
  // The parts follow failovers of a cluster by themselves.
  if (redis instanceof Cluster) return;
  const idOf = async () => /^run_id:(\w+)/m.exec(await redis.info('server'))?.[1];
  let serverId: Promise<string | undefined> = idOf().catch(() => undefined);
  redis.on('ready', () => {
    const before = serverId;
    serverId = idOf().catch(() => before);
    void Promise.all([before, serverId]).then(([old, now]) => {
      if (old !== now) onOtherServer();
    });
  });
}

/** Reads the fields of a job with one command, while BullMQ searches eight lists: only a finished job has `finishedOn`. */
async function readFinishedJob(
  redis: RedisClient,
  queue: StoredQueue,
  id: string,
): Promise<FinishedJob | undefined> {
  const fields = ['name', 'finishedOn', 'returnvalue'] as const;
  const [name, finishedOn, value] = await redis.hmget(queue.toKey(id), ...fields);
  if (!name) return { id, state: 'missing' };
  if (!finishedOn) return undefined;
  return value ? { id, state: 'completed', reply: JSON.parse(value) as JobReply } : { id, state: 'failed' };
}

/** A running job has a lock. */
async function readPendingJob(
  redis: RedisClient,
  queue: StoredQueue,
  id: string,
): Promise<PendingJob | undefined> {
  const key = queue.toKey(id);
  const [[name, data, finishedOn], isLocked] = await Promise.all([
    redis.hmget(key, 'name', 'data', 'finishedOn'),
    redis.exists(`${key}:lock`),
  ]);
  if (!name || !data || finishedOn) return undefined;
  const { hostId } = JSON.parse(data) as JobData;
  return { id, hostId, operation: name, state: isLocked ? 'running' : 'queued' };
}

type RawBacklog = [
  oldest: string | null,
  unplaced: number,
  active: number,
  ...hosts: [host: string, depth: number, oldest: string, ahead: number][],
];

async function backlogOf(redis: RedisClient, queue: StoredQueue): Promise<Backlog> {
  const keys = ['wait', 'prioritized', 'active', FAIR_ORDER_KEY, ''].map(name => queue.toKey(name));
  const read = (await redis.eval(READ_BACKLOG, keys.length - 1, ...keys)) as RawBacklog;
  const [oldest, unplaced, active, ...rows] = read;
  const hosts = rows.map(
    ([host, depth, oldest, ahead]) =>
      [host, { depth, oldest: Number(oldest), ahead: ahead + unplaced }] as const,
  );
  const depth = rows.reduce((sum, [, own]) => sum + own, unplaced);
  return mergeBacklogs({ depth, oldest: oldest ? Number(oldest) : undefined, active }, hosts);
}

async function findEnds(redis: RedisClient, queue: StoredQueue, since: number): Promise<RecentEnds> {
  const ofState = async (state: string) => {
    const key = queue.toKey(state);
    const last = redis.zrevrange(key, 0, 0, 'WITHSCORES');
    const [count, [, lastAt]] = await Promise.all([redis.zcount(key, `(${since}`, '+inf'), last]);
    return { count, lastAt: Number(lastAt ?? Number.NEGATIVE_INFINITY) };
  };
  const [completed, failed] = await Promise.all([ofState('completed'), ofState('failed')]);
  const lastAt = Math.max(completed.lastAt, failed.lastAt);
  return { count: completed.count + failed.count, lastAt: Number.isFinite(lastAt) ? lastAt : undefined };
}

async function waitForConnection(redis: RedisClient): Promise<void> {
  const limit = AbortSignal.timeout(FIRST_CONNECTION_MS);
  let refused: unknown;
  const noteRefusal = (error: Error & { readonly lastNodeError?: Error }) => {
    // The error of a cluster client is that no node answered as it should.
    const known = errorOfLogin('REDIS_URL', error.lastNodeError ?? error);
    if (known instanceof SettingError) refused = known;
  };
  redis.on('error', noteRefusal);
  redis.connect().catch(noteRefusal);
  while (redis.status !== 'ready') {
    if (refused !== undefined || limit.aborted) {
      redis.disconnect();
      throw (
        refused ?? new Error(`Redis did not answer within ${FIRST_CONNECTION_MS / 1_000} s: check REDIS_URL`)
      );
    }
    await delay(25);
  }
  redis.off('error', noteRefusal);
}

/** Checks every server, because a replica may become a master. */
async function checkServers(redis: RedisClient): Promise<void> {
  const servers = redis instanceof Cluster ? redis.nodes() : [redis];
  await Promise.all(servers.flatMap(server => [requireMinimumVersion(server), requireNoEviction(server)]));
}

/** Valkey reports the Redis version that it is compatible with. A server that reports none is accepted. */
async function requireMinimumVersion(redis: Redis): Promise<void> {
  const info = await redis.info('server').catch(() => '');
  const [, major, minor] = /^redis_version:(\d+)\.(\d+)/m.exec(info) ?? [];
  if (major === undefined || !isOlder(Number(major), Number(minor))) return;
  throw new Error(
    `Redis ${MIN_REDIS_VERSION.join('.')} or newer is needed; this server is version ${major}.${minor}`,
  );
}

function isOlder(major: number, minor: number): boolean {
  return major < MIN_REDIS_VERSION[0] || (major === MIN_REDIS_VERSION[0] && minor < MIN_REDIS_VERSION[1]);
}

async function requireNoEviction(redis: Redis): Promise<void> {
  const [, policy] = (await redis.config('GET', 'maxmemory-policy').catch(() => [])) as string[];
  if (policy && policy !== 'noeviction') {
    throw new Error(`Redis must run with maxmemory-policy noeviction, not ${policy}: it would drop jobs`);
  }
}
