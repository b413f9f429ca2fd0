import pg from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 5_000;

/** A connection of its own: LISTEN belongs to a session. A message that is sent while it is lost does not arrive. */
export interface Channel {
  /** Aborted when the connection is lost. */
  readonly lost: AbortSignal;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  /** Does not wait for a server that does not answer. */
  close(): void;
}

interface ChannelName {
  /** The program chooses it, never a caller: it is part of the SQL text. */
  readonly channel: string;
  readonly applicationName: string;
}

export async function openChannel(
  databaseUrl: string,
  { channel, applicationName }: ChannelName,
  onMessage: (payload: string) => void,
): Promise<Channel> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  });
  const lost = new AbortController();
  const close = () => void client.end().catch(() => undefined);
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  client.on('notification', ({ payload = '' }) => onMessage(payload));
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
  } catch (error) {
    close();
    throw error;
  }
  return { lost: lost.signal, ping: async () => void (await client.query('select 1')), close };
}
