import { randomBytes } from 'node:crypto';
import { createRedisBackend, type RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { withinMs } from '../../../platform/link-signals.ts';
import { repeat } from '../../../platform/repeat.ts';
import { receiveMessage } from '../job-message.ts';
import { LOCK_MS, type OpenStore, type Part } from '../parts.ts';
import { type EndListener, type JobEndEvents, KEYED_CHANNEL } from '../store.ts';
import { makeRedisCalls } from './calls.ts';
import { keyPrefixOf, makeRedisConnections } from './connections.ts';
import { makeRedisStore } from './store.ts';

const CHECK_EVERY_MS = 1_000;
const CONNECT_WITHIN_MS = 5_000;

/*
 * How a process is notified of the end of its jobs on Redis: one connection subscribes to two channels of each queue.
 *
 *   {parley:<queue>}:ended:<requester>   id and sealed reply of a job of this process; the id alone if the job failed; pieces
 *                                        of the answers of running jobs
 *   {parley:<queue>}:ended:keyed         id of a job with an Idempotency-Key, for which any process may wait
 *
 * A message may be lost: while the connection is down, from a worker that does not publish, or if the user of REDIS_URL
 * may not use these channels. Polling finds those replies.
 */

/** A ping detects a connection that is open but dead. */
const PING_EVERY_MS = 5_000;

export async function openRedis(url: string, onError: (error: Error) => void): Promise<OpenStore> {
  const connections = makeRedisConnections(url);
  const client = connections.openStore();
  const store = await makeRedisStore(client, onError);
  return {
    store: {
      ...store,
      async close() {
        connections.close();
        await store.close();
      },
    },
    maxConcurrentAdds: 512,
    polling: { firstMs: 250, maxMs: 2_000 },
    factory: createRedisBackend,
    producer: queue => ({ prefix: keyPrefixOf(queue), connection: connections.producer() }),
    consumer: queue => ({ prefix: keyPrefixOf(queue), connection: connections.consumer() }),
    makeCalls: (library, queue, now) =>
      makeRedisCalls(library as RedisQueueBackend, {
        lockMs: LOCK_MS,
        channelPrefix: channelPrefixOf(queue),
        now,
      }),
    makeEnds: () =>
      makeRedisReplies(() => connections.openSubscriber(client), { find: store.findEnds, onError }),
    keepConnected(parts, ends, signal) {
      keepConnected(parts.all, signal);
      store.onOtherServer(() => {
        parts.all.forEach(reconnect);
        ends.reconnect();
      });
    },
  };
}

/**
 * Checks the connections of the parts until the signal is aborted. A failed attempt is no outage: it may be late, or another one
 * may be under way. `StoreWatch` reports outages.
 */
function keepConnected(parts: readonly Part[], signal: AbortSignal): void {
  const check = () => Promise.all(parts.map(connectAgain));
  void repeat(check, { everyMs: CHECK_EVERY_MS, signal, onError: () => {} });
}

/** Our backend passes `client` on, too. */
const clientOf = (part: Part) => (part.getBackend() as unknown as RedisQueueBackend).client;

/**
 * Reconnects a part whose connection has ended for good. After this process was stopped for some seconds, BullMQ ends the
 * connections of idle listeners and does not reconnect them: their events would be missed until a restart.
 */
async function connectAgain(part: Part): Promise<void> {
  // A part whose first connection failed keeps that failure for good.
  if (part.closing) return;
  // A connection may never become ready: see `PatientBackend`.
  const client = await withinMs(clientOf(part), CONNECT_WITHIN_MS);
  // The client of a cluster that has ended may be in state `close`; from a real `close` it goes on at once.
  if (!part.closing && /^(end|close)$/.test(client.status))
    await withinMs(client.connect(), CONNECT_WITHIN_MS);
}

/**
 * Reconnects a queue, worker or listener to Redis. A connection that only listens or is idle would not notice that its
 * server became a replica in a failover.
 */
function reconnect(part: Part): void {
  clientOf(part)
    .then(client => client.disconnect(true))
    .catch(() => {});
}

/** Channels are not part of a Redis database: its number makes no difference. */
const channelPrefixOf = (queue: string): string => `${keyPrefixOf(queue)}:ended:`;

function makeRedisReplies(
  open: () => Redis,
  { find, onError }: Pick<JobEndEvents, 'find'> & { onError(error: Error): void },
): JobEndEvents {
  const requester = randomBytes(9).toString('base64url');
  const listeners = new Map<string, EndListener>();
  const closing = new AbortController();
  let redis: Redis | undefined;
  const connect = () => {
    const connection = open();
    connection.on('error', onError);
    connection.on('message', (channel: string, message: string) => {
      const listener = listeners.get(channel);
      if (listener) receiveMessage(message, listener);
    });
    connection.on('ready', () => void subscribeAgain(connection));
    const ping = () => connection.status === 'ready' && connection.ping();
    void repeat(ping, { everyMs: PING_EVERY_MS, signal: closing.signal, onError: () => {} });
    return connection;
  };
  const subscribe = (connection: Redis, channels: readonly string[]) =>
    connection.subscribe(...channels).catch((error: Error) => {
      if (!closing.signal.aborted) onError(new Error(`failed to subscribe to {parley:*: ${error.message}`));
    });
  const subscribeAgain = async (connection: Redis) => {
    if (listeners.size === 0) return;
    await subscribe(connection, [...listeners.keys()]);
    for (const listener of new Set(listeners.values())) listener.noteGap();
  };
  return {
    requester,
    listen(queue, listener) {
      redis ??= connect();
      const connection = redis;
      const channels = [requester, KEYED_CHANNEL].map(name => channelPrefixOf(queue) + name);
      for (const channel of channels) listeners.set(channel, listener);
      const subscribed = subscribe(connection, channels);
      const close = async () => channels.forEach(channel => listeners.delete(channel));
      return { waitUntilReady: () => subscribed, close, disconnect: close };
    },
    find,
    reconnect: () => redis?.disconnect(true),
    async close() {
      closing.abort();
      redis?.disconnect();
    },
  };
}
