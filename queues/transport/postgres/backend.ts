import { randomBytes } from 'node:crypto';
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
import { keepConnected } from '../../../platform/keep-connected.ts';
import { withinMs } from '../../../platform/link-signals.ts';
import {
  type Channel,
  type ChannelOptions,
  endSession,
  openChannel,
} from '../../../platform/listen-channel.ts';
import { CLOSE_PART_WITHIN_MS } from '../../../platform/shutdown-limits.ts';
import { WatchedClient } from '../../../platform/silent-connections.ts';
import { extendDuringStart } from '../../../platform/start-attempts.ts';
import { receiveMessage } from '../job-message.ts';
import { LOCK_MS, type OpenStore } from '../parts.ts';
import { type EndListener, type JobEndEvents, KEYED_CHANNEL } from '../store.ts';
import { makePostgresCalls, StallChecks } from './calls.ts';
import { makePostgresStore, QUERY_TIMEOUT_MS } from './store.ts';

/** Two connections for each queue of an API process. */
const PRODUCER_CONNECTIONS = 16;
/** Statements of all workers and listeners of a process share these. */
const CONSUMER_CONNECTIONS = 16;
/** Workers wait longer than a caller would, and then ask again. */
const CONSUMER_TIMEOUT_MS = 5_000;
/** BullMQ announces jobs and events on these channels. */
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
    this.#listen = () => listenTo(url, { channels: CHANNELS, onNotification, onListening, onError });
  }

  /** Does nothing once this is closed: a worker may close later. */
  async start(): Promise<void> {
    if (!this.#isClosed) await (this.#listening ??= this.#listen()).tried;
  }

  /** BullMQ asks its client to listen, which this already does. */
  async query(): Promise<void> {}

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#listening?.close();
  }
}

/** BullMQ finds workers by the names of their connections, so it cannot list these. Nothing needs that. */
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

/**
 * Makes one pool for all queues of a process, and one for all its workers and listeners. Connections come and go with the load.
 */
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

/*
 * How a process is notified of the end of its jobs on PostgreSQL: one connection listens to two channels. Each message
 * begins with the name of the queue.
 *
 *   parley_<requester>   id and sealed reply of a job of this process; the id alone if the job failed or its reply is long;
 *                        pieces of the answers of running jobs
 *   parley_keyed     id of a job with an Idempotency-Key, for which any process may wait
 *
 * A message may be lost: while the connection is down, or from a worker that sends none. Polling finds those replies.
 */

function makePostgresReplies(
  url: string,
  { find, onError }: Pick<JobEndEvents, 'find'> & { onError(error: Error): void },
): JobEndEvents {
  const requester = randomBytes(9).toString('hex');
  const listeners = new Map<string, EndListener>();
  let listening: Listening | undefined;

  const receive = (payload: string) => {
    const start = payload.indexOf(' ');
    const listener = listeners.get(payload.slice(0, start));
    if (listener) receiveMessage(payload.slice(start + 1), listener);
  };
  const startListening = () =>
    listenTo(url, {
      channels: [requester, KEYED_CHANNEL].map(name => `parley_${name}`),
      onNotification: ({ payload = '' }) => receive(payload),
      onListening() {
        for (const listener of listeners.values()) listener.noteGap();
      },
      onError,
    });
  return {
    requester,
    listen(queue, listener) {
      listeners.set(queue, listener);
      const { tried } = (listening ??= startListening());
      const close = async () => void listeners.delete(queue);
      return { waitUntilReady: () => tried, close, disconnect: close };
    },
    find,
    // A server that became a replica has ended its connections already.
    reconnect() {},
    close: async () => listening?.close(),
  };
}

type Done = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/**
 * A pool that opens one connection at a time. Opening one takes many times as long as a statement, so waiting callers mostly get
 * a freed one: the parts of a process, which all begin at once, share a few.
 */
export function makeSparingPool(options: pg.PoolConfig & { readonly max: number }): pg.Pool {
  class OpenedAlone extends WatchedClient {
    override connect(): Promise<pg.Client>;
    override connect(done: Done): void;
    /** The pool counts this client already, and always passes `done`. */
    override connect(done?: Done): Promise<pg.Client> | void {
      if (!done) return super.connect();
      pool.options.max = pool.totalCount;
      super.connect((error: Error | null) => {
        pool.options.max = options.max;
        (done as (error: Error | null) => void)(error);
        // The caller may keep this connection, so others must not wait for it. A pool that ends passes no `release`.
        if (!error && pool.waitingCount > 0) pool.connect((_error, _client, release) => release?.());
      });
    }
  }
  const pool = new pg.Pool({ ...options, Client: OpenedAlone });
  extendDuringStart(pool.options, 'connectionTimeoutMillis');
  return pool;
}

/** A connection that listens to channels, and is opened again when it is lost. */
interface Listening {
  /** Resolves after the first attempt to connect. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

interface ListeningOptions extends ChannelOptions {
  /** Called each time it begins to listen: earlier messages were missed. */
  onListening(): void;
  onError(error: Error): void;
}

function listenTo(url: string, options: ListeningOptions): Listening {
  const closing = new AbortController();
  const { signal } = closing;
  let channel: Channel | undefined;
  const connect = async () => {
    channel = await openChannel(url, options);
    options.onListening();
    return channel;
  };
  const tried = new Promise<void>(onTried => {
    const onError = (error: unknown) => signal.aborted || options.onError(error as Error);
    keepConnected(() => connect().finally(onTried), { signal, onError });
  });
  return {
    tried,
    async close() {
      closing.abort();
      if (channel) await endSession(channel.client);
    },
  };
}
