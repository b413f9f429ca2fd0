import { randomBytes } from 'node:crypto';
import { receiveMessage } from '../job-message.ts';
import { type EndListener, type JobEndEvents, KEYED_CHANNEL } from '../store.ts';
import { type Listening, listenTo } from './listen.ts';

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

export function makePostgresReplies(
  url: string,
  { find, onError }: Pick<JobEndEvents, 'find'> & { onError(error: Error): void },
): JobEndEvents {
  const requester = randomBytes(9).toString('hex');
  const listeners = new Map<string, EndListener>();
  let listening: Listening | undefined;

  const receive = (payload: string) => {
    const start = payload.indexOf(' ');
    const listener = listeners.get(payload.slice(0, start));
    if (listener) receiveMessage(payload.slice(start + 1), listener);
  };
  const startListening = () =>
    listenTo(
      url,
      [requester, KEYED_CHANNEL].map(name => `parley_${name}`),
      {
        onNotification: ({ payload = '' }) => receive(payload),
        onListening() {
          for (const listener of listeners.values()) listener.noteGap();
        },
        onError,
      },
    );
  return {
    requester,
    listen(queue, listener) {
      listeners.set(queue, listener);
      const { tried } = (listening ??= startListening());
      const close = async () => void listeners.delete(queue);
      return { waitUntilReady: () => tried, close, disconnect: close };
    },
    find,
    // A server that became a replica has ended its connections.
    reconnect() {},
    close: async () => listening?.close(),
  };
}
