import { repeat } from '../../../platform/repeat.ts';

/* The connections to Redis of BullMQ's queues, workers and listeners. */

const CHECK_EVERY_MS = 1_000;

/** Checks the connections of the parts until the signal is aborted. */
export function keepConnected(
  parts: readonly object[],
  signal: AbortSignal,
  onError: (error: Error) => void,
): void {
  const check = () => Promise.all(parts.map(connectAgain));
  void repeat(check, { everyMs: CHECK_EVERY_MS, signal, onError: error => onError(error as Error) });
}

/** What BullMQ does not expose of a queue, worker or listener. */
interface PartConnection {
  readonly closing?: Promise<void>;
  readonly backend: {
    readonly client: Promise<{ status: string; connect(): Promise<void>; disconnect(again: boolean): void }>;
  };
}

/**
 * Connects a part whose connection has ended for good. After this process was stopped for some seconds, BullMQ ends the
 * connections of idle listeners and does not connect them again: their events would be missed until a restart.
 */
async function connectAgain(part: object): Promise<void> {
  const { closing, backend } = part as PartConnection;
  const { client } = backend;
  const connection = await client;
  if (!closing && connection.status === 'end') await connection.connect();
}

/**
 * Reconnects a queue, worker or listener to Redis. A connection that only listens or is idle would not notice that its
 * server became a replica in a failover. BullMQ does not expose its connections.
 */
export function reconnect(part: object): void {
  (part as PartConnection).backend.client.then(client => client.disconnect(true)).catch(() => {});
}
