import type pg from 'pg';
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts';
import { endSession, makeSessionClient, openChannel } from '../../platform/listen-channel.ts';
import { isUuid } from '../../platform/uuid.ts';
import { type SearchChange, searchOperations } from './outbox.ts';
import { searchTables } from './records.ts';

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

export async function openSearchChannel(
  databaseUrl: string,
  onMessage: (payload: string) => void,
): Promise<SearchChannel> {
  let ownId: number | undefined;
  const { client, lost, ping } = await openChannel(databaseUrl, {
    channels: [SEARCH_CHANNEL],
    applicationName: 'parley-search-relay',
    onNotification: ({ processId, payload = '' }) => processId === ownId || onMessage(payload),
  });
  let isClosed = false;
  const close = async () => {
    isClosed = true;
    await endSession(client);
  };
  try {
    const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
    ownId = rows[0]?.id;
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get isOpen() {
      return !isClosed && !lost.aborted;
    },
    tryLead: () => tryLock(client, RELAY_LOCK),
    async notify(changes) {
      if (changes.length === 0) return;
      const payloads = changes.map(channelMessageOf);
      const notify = 'select pg_notify($1, payload) from unnest($2::text[]) payload';
      await client.query({ name: 'notify', text: notify, values: [SEARCH_CHANNEL, payloads] });
    },
    ping,
    close,
  };
}

/** Runs the work unless another process does; returns undefined then. */
export async function withReconcileLock<T>(
  databaseUrl: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const client = makeSessionClient(databaseUrl, 'parley-search-reconcile');
  client.on('error', () => {});
  await client.connect();
  try {
    return (await tryLock(client, RECONCILE_LOCK)) ? await work() : undefined;
  } finally {
    await endSession(client);
  }
}

async function tryLock(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as got',
    [name],
  );
  return rows[0]?.got ?? false;
}

export function channelMessageOf({ originTable, originId, operation }: SearchChange): string {
  return JSON.stringify({ origin_table: originTable, origin_id: originId, operation });
}

/** The change of a message; undefined if it is invalid. */
export function searchChangeOf(message: string): SearchChange | undefined {
  const fields = parseObject(message);
  const originTable = searchTables.find(table => table === fields['origin_table']);
  const operation = searchOperations.find(name => name === fields['operation']);
  const originId = fields['origin_id'];
  if (!originTable || !operation || typeof originId !== 'string' || !isUuid(originId)) return undefined;
  return { originTable, originId, operation };
}

function parseObject(message: string): JsonObject {
  try {
    const value: unknown = JSON.parse(message);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
