import {
  type BackendFactory,
  createPostgresBackend,
  type IQueueBackend,
  type PostgresQueueBackend,
} from 'bullmq';
import pg from 'pg';
import { repeat } from '../../../platform/repeat.ts';
import { CLOSE_PART_WITHIN_MS } from '../../../platform/shutdown-limits.ts';
import { withinMs } from '../../../platform/within-ms.ts';
import { LOCK_MS, type OpenStore } from '../parts.ts';
import { makePostgresCalls, StallChecks } from './calls.ts';
import { makePostgresReplies } from './replies.ts';
import { makeSparingPool } from './sparing-pool.ts';
import { makePostgresStore, QUERY_TIMEOUT_MS } from './store.ts';

/** Two for each queue of an API process. */
const PRODUCER_CONNECTIONS = 16;
/** Each worker and listener keeps one for its notifications: as many again, and more, must be left for their statements. */
const CONSUMER_CONNECTIONS = 24;
/** Workers wait longer than a caller would, and then ask again. */
const CONSUMER_TIMEOUT_MS = 5_000;
/** Notices a connection that is open but dead, although the others are not. */
const PING_EVERY_MS = 5_000;

export async function openPostgres(url: string, onError: (error: Error) => void): Promise<OpenStore> {
  const store = await makePostgresStore(url, onError);
  const [producer, consumer] = makePools(url);
  const checks = new StallChecks();
  const closePools = () => Promise.all([producer, consumer].map(pool => pool.end()));
  const closing = new AbortController();
  const factory = (...[name, options, kind]: Parameters<typeof createPostgresBackend>) => {
    const library = createPostgresBackend(name, options, kind);
    if (options.connection === consumer) keepHearing(library, closing.signal);
    return library;
  };
  return {
    store: {
      ...store,
      async close() {
        closing.abort();
        await withinMs(closePools(), CLOSE_PART_WITHIN_MS).catch(onError);
        await store.close();
      },
    },
    // More at once would time out while the store is slow.
    maxConcurrentAdds: 16,
    polling: { firstMs: 50, maxMs: 50 },
    factory: factory as unknown as BackendFactory<IQueueBackend>,
    producer: () => ({ connection: producer }),
    consumer: () => ({ connection: consumer }),
    makeCalls: (library, queue, now) =>
      makePostgresCalls(library as PostgresQueueBackend, { queue, lockMs: LOCK_MS, now, checks }),
    makeEnds: () => makePostgresReplies(url, { find: store.findEnds, onError }),
    keepConnected() {},
  };
}

/** A connection for notifications that does not answer ends, and BullMQ opens another one. */
function keepHearing({ connection }: PostgresQueueBackend, signal: AbortSignal): void {
  const ping = async () => {
    if (!connection.isClosing) await (await connection.getListenClient()).query('select 1');
  };
  void repeat(ping, { everyMs: PING_EVERY_MS, signal, onError: () => {} });
}

/** One pool for all queues of a process, and one for all its workers and listeners. Connections come and go with the load. */
function makePools(url: string): [producer: pg.Pool, consumer: pg.Pool] {
  // - A crash may lose the last commits, which only affects requests in flight, so commits need not wait for the disk.
  // - Every statement finds its rows by an index, whatever the tables hold: a plan made while they were empty is kept, and
  //   would read them whole. Planning takes longer than the work.
  const off = ['synchronous_commit', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];
  const settings = [
    ...off.map(name => `${name}=off`),
    'plan_cache_mode=force_generic_plan',
    'search_path=bullmq',
  ];
  const options = settings.map(setting => `-c ${setting}`).join(' ');
  const shared = { connectionString: url, application_name: 'parley-queues', keepAlive: true, options };
  const pools: [pg.Pool, pg.Pool] = [
    makeSparingPool({
      ...shared,
      max: PRODUCER_CONNECTIONS,
      connectionTimeoutMillis: QUERY_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
    }),
    makeSparingPool({
      ...shared,
      max: CONSUMER_CONNECTIONS,
      connectionTimeoutMillis: CONSUMER_TIMEOUT_MS,
      query_timeout: CONSUMER_TIMEOUT_MS,
    }),
  ];
  // Each part listens to the errors of its pool.
  for (const pool of pools) pool.setMaxListeners(0);
  return pools;
}
