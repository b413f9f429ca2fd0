import { once } from 'node:events';
import { linkSignals } from './link-signals.ts';
import { repeat } from './repeat.ts';

/** A connection by which a process is notified. */
export interface LastingConnection {
  /** Aborted when the connection is lost. */
  readonly lost: AbortSignal;
  /** Rejects when the server does not answer. */
  ping(): Promise<void>;
  /** Does not wait for a server that does not answer. */
  close(): void;
}

const CONNECT_EVERY_MS = 500;
/** Notices a connection that is open but dead. */
const PING_EVERY_MS = 5_000;

/** Connects, and again when the connection is lost, until the signal is aborted. */
export function keepConnected(
  connect: () => Promise<LastingConnection>,
  { signal, onError }: { readonly signal: AbortSignal; onError(error: unknown): void },
): void {
  const connectUntilLost = async () => {
    const connection = await connect();
    using linked = linkSignals(connection.lost, signal);
    const over = linked.signal;
    void repeat(() => connection.ping(), {
      everyMs: PING_EVERY_MS,
      signal: over,
      onError: () => connection.close(),
    });
    if (!over.aborted) await once(over, 'abort');
    connection.close();
  };
  void repeat(connectUntilLost, { everyMs: CONNECT_EVERY_MS, firstAfterMs: 0, signal, onError });
}
