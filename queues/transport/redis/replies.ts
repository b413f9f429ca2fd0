import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { repeat } from '../../../platform/repeat.ts';
import { receiveMessage } from '../job-message.ts';
import { type EndListener, type JobEndEvents, KEYED_CHANNEL } from '../store.ts';
import { keyPrefixOf } from './connections.ts';

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

/** Notices a connection that is open but dead. */
const PING_EVERY_MS = 5_000;

/** Channels are not part of a Redis database: its number makes no difference. */
export const channelPrefixOf = (queue: string): string => `${keyPrefixOf(queue)}:ended:`;

export function makeRedisReplies(
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
