import type { RedisQueueBackend } from 'bullmq';
import { repeat } from '../../../platform/repeat.ts';
import { withinMs } from '../../../platform/within-ms.ts';
import type { Part } from '../parts.ts';

/* The connections to Redis of BullMQ's queues, workers and listeners. */

const CHECK_EVERY_MS = 1_000;
const CONNECT_WITHIN_MS = 5_000;

/**
 * Checks the connections of the parts until the signal is aborted. An attempt that fails is no outage: it may be late, or another one
 * may be under way. `StoreWatch` tells of those.
 */
export function keepConnected(parts: readonly Part[], signal: AbortSignal): void {
  const check = () => Promise.all(parts.map(connectAgain));
  void repeat(check, { everyMs: CHECK_EVERY_MS, signal, onError: () => {} });
}

/** Ours passes it on, too. */
const clientOf = (part: Part) => (part.getBackend() as unknown as RedisQueueBackend).client;

/**
 * Connects a part whose connection has ended for good. After this process was stopped for some seconds, BullMQ ends the
 * connections of idle listeners and does not connect them again: their events would be missed until a restart.
 */
async function connectAgain(part: Part): Promise<void> {
  // One whose first connection failed keeps that failure for good.
  if (part.closing) return;
  // See `PatientBackend`: a connection may never say that it is one.
  const client = await withinMs(clientOf(part), CONNECT_WITHIN_MS);
  // A client of a cluster that has ended may say `close`; from a real one it goes on at once.
  if (!part.closing && /^(end|close)$/.test(client.status))
    await withinMs(client.connect(), CONNECT_WITHIN_MS);
}

/**
 * Reconnects a queue, worker or listener to Redis. A connection that only listens or is idle would not notice that its
 * server became a replica in a failover.
 */
export function reconnect(part: Part): void {
  clientOf(part)
    .then(client => client.disconnect(true))
    .catch(() => {});
}
