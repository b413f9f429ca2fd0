import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { channelMessageOf } from './channel-message.ts';
import type { SearchChange } from './outbox.ts';

const SEARCH_CHANNEL = 'omni_search_events';

/** A dedicated connection: LISTEN, the relay's lock and NOTIFY belong to one session. */
export interface SearchChannel {
  /** Tries to become the one relay; holds until the session ends. */
  tryLead(): Promise<boolean>;
  /** Notifies all listeners except this session. */
  notify(changes: readonly SearchChange[]): Promise<void>;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  readonly isOpen: boolean;
  close(): Promise<void>;
}

const RELAY_LOCK = 'parley search relay';
const RECONCILE_LOCK = 'parley search reconcile';
const END_TIMEOUT_MS = 1_000;

export async function openSearchChannel(
  databaseUrl: string,
  onMessage: (payload: string) => void,
): Promise<SearchChannel> {
  const client = makeClient(databaseUrl, 'parley-search-relay');
  let isOpen = true;
  const hasEnded = () => {
    isOpen = false;
  };
  client.on('error', hasEnded);
  client.on('end', hasEnded);
  let ownId: number | undefined;
  client.on('notification', ({ processId, payload = '' }) => {
    if (processId !== ownId) onMessage(payload);
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
    ownId = rows[0]?.id;
    await client.query(`listen ${SEARCH_CHANNEL}`);
  } catch (error) {
    await end(client);
    throw error;
  }
  return {
    get isOpen() {
      return isOpen;
    },
    tryLead: () => tryLock(client, RELAY_LOCK),
    async notify(changes) {
      if (changes.length === 0) return;
      const payloads = changes.map(channelMessageOf);
      const notify = 'select pg_notify($1, payload) from unnest($2::text[]) payload';
      await client.query({ name: 'notify', text: notify, values: [SEARCH_CHANNEL, payloads] });
    },
    async ping() {
      await client.query({ name: 'ping', text: 'select 1' });
    },
    async close() {
      isOpen = false;
      await end(client);
    },
  };
}

/** Runs the work unless another process does; undefined then. */
export async function withReconcileLock<T>(
  databaseUrl: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const client = makeClient(databaseUrl, 'parley-search-reconcile');
  client.on('error', () => {});
  await client.connect();
  try {
    return (await tryLock(client, RECONCILE_LOCK)) ? await work() : undefined;
  } finally {
    await end(client);
  }
}

function makeClient(connectionString: string, name: string): pg.Client {
  return new pg.Client({
    connectionString,
    application_name: name,
    connectionTimeoutMillis: 2_000,
    query_timeout: 5_000,
    keepAlive: true,
  });
}

/** client.end() may never resolve. */
async function end(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => {}), delay(END_TIMEOUT_MS, undefined, { ref: false })]);
}

async function tryLock(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as got',
    [name],
  );
  return rows[0]?.got ?? false;
}
