import { once } from 'node:events';
import { linkSignals } from './link-signals.ts';
import { repeat } from './repeat.ts';

/** A connection that brings notices to a process. */
export interface LastingConnection {
  /** Aborted when the connection is lost. */
  readonly lost: AbortSignal;
  /** Rejects when the server does not answer. */
  ping(): Promise<void>;
  /** Does not wait for an unresponsive server. */
  close(): void;
}

const CONNECT_EVERY_MS = 500;
/** A ping detects a connection that is open but dead. */
const PING_EVERY_MS = 5_000;

/** Connects, and reconnects after each loss, until the signal is aborted. */
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
