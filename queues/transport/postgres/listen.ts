import pg from 'pg';
import { keepConnected, type LastingConnection } from '../../../platform/keep-connected.ts';
import { withinMs } from '../../../platform/within-ms.ts';

/** A connection that listens to channels, and is opened again when it is lost. */
export interface Listening {
  /** Resolves after the first attempt to connect. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
}

export interface ListeningOptions {
  onNotification(notification: pg.Notification): void;
  /** Called each time that it listens: what was told before was missed. */
  onListening(): void;
  onError(error: Error): void;
}

const limits = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 };
/** Ending a connection waits for the server. */
const CLOSE_WITHIN_MS = 1_000;

export function listenTo(
  url: string,
  channels: readonly string[],
  { onNotification, onListening, onError }: ListeningOptions,
): Listening {
  const closing = new AbortController();
  const { signal } = closing;
  let client: pg.Client | undefined;
  const connect = async () => {
    client = new pg.Client({ ...limits, connectionString: url, keepAlive: true });
    client.on('error', onError);
    client.on('notification', onNotification);
    const connection = await listenOn(client, channels);
    onListening();
    return connection;
  };
  const tried = new Promise<void>(onTried => {
    const report = (error: unknown) => signal.aborted || onError(error as Error);
    keepConnected(() => connect().finally(onTried), { signal, onError: report });
  });
  return {
    tried,
    async close() {
      closing.abort();
      if (client) await endWithin(client, CLOSE_WITHIN_MS);
    },
  };
}

/** Resolves when the client listens. */
async function listenOn(client: pg.Client, channels: readonly string[]): Promise<LastingConnection> {
  const lost = new AbortController();
  client.once('end', () => lost.abort());
  const close = () => void client.end().catch(() => undefined);
  try {
    await client.connect();
    await client.query(channels.map(channel => `listen ${channel}`).join('; '));
  } catch (error) {
    close();
    throw error;
  }
  return { lost: lost.signal, ping: async () => void (await client.query('select 1')), close };
}

/** A server that does not answer does not keep this process alive. */
async function endWithin(client: pg.Client, limitMs: number): Promise<void> {
  await withinMs(client.end(), limitMs).catch(() => undefined);
  // Missing in the types of pg.
  (client as unknown as { unref(): void }).unref();
}
