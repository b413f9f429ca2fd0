import pg from 'pg';

/** The ids of turns that a burst revokes from their workers; see `bursts.ts`. */
const BURST_CHANNEL = 'parley_bursts';

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 5_000;

/** A connection of its own: LISTEN belongs to a session. A message that is sent while it is lost does not arrive. */
export interface BurstChannel {
  /** Aborted when the connection is lost. */
  readonly lost: AbortSignal;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  /** Does not wait for a server that does not answer. */
  close(): void;
}

export async function openBurstChannel(
  databaseUrl: string,
  onTurn: (turnId: string) => void,
): Promise<BurstChannel> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'parley-bursts',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  });
  const lost = new AbortController();
  const close = () => void client.end().catch(() => undefined);
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  client.on('notification', ({ payload = '' }) => onTurn(payload));
  try {
    await client.connect();
    await client.query(`listen ${BURST_CHANNEL}`);
  } catch (error) {
    close();
    throw error;
  }
  return { lost: lost.signal, ping: async () => void (await client.query('select 1')), close };
}
