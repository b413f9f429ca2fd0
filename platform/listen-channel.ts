import pg from 'pg';
import type { LastingConnection } from './keep-connected.ts';
import { withinMs } from './link-signals.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 5_000;
/** Closing a connection waits for the server, at most this long. */
const END_WITHIN_MS = 1_000;

/** LISTEN belongs to a session, so it needs its own connection. A message sent while the connection is lost does not arrive. */
export interface Channel extends LastingConnection {
  readonly client: pg.Client;
}

export interface ChannelOptions {
  /** Only the program chooses channels, never a caller: they are part of the SQL text. */
  readonly channels: readonly string[];
  readonly applicationName?: string;
  onNotification(notification: pg.Notification): void;
  onError?(error: Error): void;
}

export async function openChannel(
  databaseUrl: string,
  { channels, applicationName, onNotification, onError }: ChannelOptions,
): Promise<Channel> {
  const client = makeSessionClient(databaseUrl, applicationName);
  const lost = new AbortController();
  const close = () => void endSession(client);
  client.on('error', error => {
    lost.abort();
    onError?.(error);
  });
  client.on('end', () => lost.abort());
  client.on('notification', onNotification);
  try {
    await client.connect();
    await client.query(channels.map(channel => `listen ${channel}`).join('; '));
  } catch (error) {
    close();
    throw error;
  }
  return { client, lost: lost.signal, ping: async () => void (await client.query('select 1')), close };
}

export function makeSessionClient(databaseUrl: string, applicationName?: string): pg.Client {
  return new pg.Client({
    connectionString: databaseUrl,
    ...(applicationName === undefined ? {} : { application_name: applicationName }),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  });
}

/** Ends the session; an unresponsive server does not keep this process alive. */
export async function endSession(client: pg.Client): Promise<void> {
  await withinMs(client.end(), END_WITHIN_MS).catch(() => undefined);
  // The types of pg lack it.
  (client as unknown as { unref(): void }).unref();
}
