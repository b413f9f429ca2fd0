import { EventEmitter } from 'node:events';
import {
  type BackendFactory,
  createPostgresBackend,
  type IQueueBackend,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
} from 'bullmq';
import pg from 'pg';
import { CLOSE_PART_WITHIN_MS } from '../../../platform/shutdown-limits.ts';
import { withinMs } from '../../../platform/within-ms.ts';
import { LOCK_MS, type OpenStore } from '../parts.ts';
import { makePostgresCalls, StallChecks } from './calls.ts';
import { type Listening, listenTo } from './listen.ts';
import { makePostgresReplies } from './replies.ts';
import { makeSparingPool } from './sparing-pool.ts';
import { makePostgresStore, QUERY_TIMEOUT_MS } from './store.ts';

/** Two for each queue of an API process. */
const PRODUCER_CONNECTIONS = 16;
/** For the statements of all workers and listeners of a process. */
const CONSUMER_CONNECTIONS = 16;
/** Workers wait longer than a caller would, and then ask again. */
const CONSUMER_TIMEOUT_MS = 5_000;
/** Those on which BullMQ tells of jobs and events. */
const CHANNELS = ['bullmq_jobs', 'bullmq_events'];

export async function openPostgres(url: string, onError: (error: Error) => void): Promise<OpenStore> {
  const store = await makePostgresStore(url, onError);
  const [producer, consumer] = makePools(url);
  const checks = new StallChecks();
  const closePools = () => Promise.all([producer, consumer].map(pool => pool.end()));
  const hearing = new Hearing(url, onError);
  const factory = (...[name, options, kind]: Parameters<typeof createPostgresBackend>) =>
    options.connection === consumer
      ? new PostgresQueueBackend(new HearingConnection(options.connection, hearing), name, options)
      : createPostgresBackend(name, options, kind);
  return {
    store: {
      ...store,
      async close() {
        await hearing.close();
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

type ListenClient = Awaited<ReturnType<PostgresConnection['getListenClient']>>;

/** One connection on which all workers and listeners of a process hear of jobs and events: BullMQ would keep one for each. */
class Hearing extends EventEmitter {
  readonly connections = new Set<HearingConnection>();
  #listening: Listening | undefined;
  #isClosed = false;
  readonly #listen: () => Listening;

  constructor(url: string, onError: (error: Error) => void) {
    super();
    this.setMaxListeners(0);
    const onNotification = (notification: pg.Notification) => this.emit('notification', notification);
    const onListening = () => {
      for (const connection of this.connections) connection.emit('listenerinvalidated');
    };
    this.#listen = () => listenTo(url, CHANNELS, { onNotification, onListening, onError });
  }

  /** A worker that closes late finds nothing to hear any more. */
  async start(): Promise<void> {
    if (!this.#isClosed) await (this.#listening ??= this.#listen()).tried;
  }

  /** What BullMQ tells its client: it listens already. */
  async query(): Promise<void> {}

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#listening?.close();
  }
}

/** BullMQ cannot list the workers, which it finds by the names of their connections. Nothing asks for that. */
class HearingConnection extends PostgresConnection {
  readonly #hearing: Hearing;

  constructor(pool: PostgresConnectionOptions, hearing: Hearing) {
    super(pool);
    this.#hearing = hearing;
    hearing.connections.add(this);
    this.on('close', () => hearing.connections.delete(this));
  }

  override async getListenClient(): Promise<ListenClient> {
    await this.#hearing.start();
    return this.#hearing as unknown as ListenClient;
  }

  override async setListenClientName(): Promise<void> {}
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
