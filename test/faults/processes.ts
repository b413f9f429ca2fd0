import { openOnce } from '../support/opened.ts';
import { makeOwnRedis, usesRedis } from '../support/own-redis.ts';
import { makePostgresQueueStore } from '../support/queue-store.ts';
import type { OwnRedis } from '../support/redis-server.ts';
import { type Service, type ServiceOptions, serviceAt, startService } from '../support/service.ts';
import {
  endAll,
  type SpawnedApi,
  type SpawnedProcess,
  type SpawnOptions,
  spawnApi,
  spawnWorker,
} from '../support/spawned-process.ts';

/**
 * For requests that wait while a process starts, which takes as long as the other work of the machine lets it: the limit of the
 * test comes first.
 */
export const UNHURRIED_MS = 300_000;

/** A service whose workers are processes, as in production. */
export interface Processes {
  readonly service: Service;
  /** Its own: to block or to kill a shared one would hit its other users. On PostgreSQL there is none. */
  readonly redis: OwnRedis;
  /** The workers that run, the oldest first. */
  readonly workers: SpawnedProcess[];
  spawn(options?: SpawnOptions): Promise<SpawnedProcess>;
  spawnApi(options?: SpawnOptions): Promise<ServingApi>;
  kill(count?: number): Promise<void>;
  /** The same, and as many are started again, like the launcher does. */
  killAndRestart(count?: number): { ended: Promise<void>; restarted: Promise<unknown> };
  close(): Promise<void>;
}

/** Another api process, and the service through it. */
export type ServingApi = SpawnedApi & { readonly service: Service };

interface ProcessesOptions extends Omit<ServiceOptions, 'workers'>, Pick<SpawnOptions, 'env'> {
  /** How many workers are started at first. */
  readonly workers?: number;
  /** Where its queues are; as in the other tests of the run, unless it says so. */
  readonly isOnRedis?: boolean;
}

export function openProcesses(options: ProcessesOptions | (() => Promise<ProcessesOptions>) = {}): Processes {
  return openOnce(async () => startProcesses(typeof options === 'function' ? await options() : options));
}

export async function startProcesses(options: ProcessesOptions): Promise<Processes> {
  const { workers: count = 0, env = {}, isOnRedis = usesRedis, store: given, ...settings } = options;
  const redis = isOnRedis && !given ? await makeOwnRedis() : undefined;
  const store = given ?? { ...(await makePostgresQueueStore('seeded')), redisUrl: redis?.url };
  const service = await startService({ ...settings, store, workers: false });
  const [workers, all]: [SpawnedProcess[], Promise<SpawnedProcess>[]] = [[], []];
  const start = <T extends SpawnedProcess>(starting: Promise<T>): Promise<T> => {
    all.push(starting);
    return starting;
  };
  const spawn: Processes['spawn'] = async more => {
    const worker = await start(spawnWorker(service, { env, ...more }));
    workers.push(worker);
    return worker;
  };
  const spawnMany = (many: number) => Promise.all(Array.from({ length: many }, () => spawn()));
  const kill: Processes['kill'] = (oldest = workers.length) => endAll(workers.splice(0, oldest));
  await spawnMany(count);
  return {
    service,
    redis: redis as OwnRedis,
    workers,
    spawn,
    async spawnApi(more) {
      const api = await start(spawnApi(service, more));
      return { ...api, service: await serviceAt(service, api.baseURL) };
    },
    kill,
    killAndRestart(oldest = workers.length) {
      const ended = kill(oldest);
      return { ended, restarted: ended.then(() => spawnMany(oldest)) };
    },
    async close() {
      const started = await Promise.allSettled(all);
      await endAll(started.flatMap(one => (one.status === 'fulfilled' ? one.value : [])));
      await service.close();
      await redis?.kill();
    },
  };
}
