import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { keepConnected, type LastingConnection } from '../../../platform/keep-connected.ts';
import { withinMs } from '../../../platform/within-ms.ts';
import { receiveMessage } from '../job-message.ts';
import { type EndListener, type JobEndEvents, KEYED_CHANNEL } from '../store.ts';

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

const limits = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 };
/** Ending a connection waits for the server. */
const CLOSE_WITHIN_MS = 1_000;

export function makePostgresReplies(
  url: string,
  { find, onError }: Pick<JobEndEvents, 'find'> & { onError(error: Error): void },
): JobEndEvents {
  const requester = randomBytes(9).toString('hex');
  const listeners = new Map<string, EndListener>();
  const closing = new AbortController();
  let client: pg.Client | undefined;
  let listening: Promise<void> | undefined;

  const receive = (payload: string) => {
    const start = payload.indexOf(' ');
    const listener = listeners.get(payload.slice(0, start));
    if (listener) receiveMessage(payload.slice(start + 1), listener);
  };
  const connect = async () => {
    client = new pg.Client({ ...limits, connectionString: url, keepAlive: true });
    client.on('error', onError);
    client.on('notification', ({ payload = '' }) => receive(payload));
    const channels = [requester, KEYED_CHANNEL].map(name => `parley_${name}`);
    const connection = await listenOn(client, channels);
    for (const listener of listeners.values()) listener.noteGap();
    return connection;
  };
  const keepListening = () =>
    new Promise<void>(onTried => {
      const { signal } = closing;
      const report = (error: unknown) => signal.aborted || onError(error as Error);
      keepConnected(() => connect().finally(onTried), { signal, onError: report });
    });
  return {
    requester,
    listen(queue, listener) {
      listeners.set(queue, listener);
      const ready = (listening ??= keepListening());
      const close = async () => void listeners.delete(queue);
      return { waitUntilReady: () => ready, close, disconnect: close };
    },
    find,
    // A server that became a replica has ended its connections.
    reconnect() {},
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
