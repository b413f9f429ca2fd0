import type pg from 'pg';

/*
 * A connection to PostgreSQL may be open and silent, because its other end is gone. pg gives up a statement after `query_timeout` and
 * keeps the connection: whoever got it next would wait behind that statement.
 */

/** The message of pg's error of a statement that was not answered in time. It has no code. */
const UNANSWERED = 'Query read timeout';

interface Watched {
  /** Infinite while a statement waits for its answer. */
  idleSince: number;
  readonly onEnd: () => void;
}

/** The connections of all pools of this process. */
const connections = new Map<pg.Client, Watched>();

/**
 * Ends this connection when a statement on it is not answered in time, and with it those to the same server that have been idle since
 * before that was sent: else each would be tried in turn. Call it before the first statement. `onEnd` is called at once; the
 * events of the client come later.
 */
export function endWhenSilent(client: pg.Client, onEnd: () => void = () => {}): void {
  const watched: Watched = { idleSince: performance.now(), onEnd };
  let unanswered = 0;
  connections.set(client, watched);
  client.once('end', () => connections.delete(client));
  // The method of its class, looked up at each call: who counts statements replaces it there.
  const send = (...values: unknown[]): unknown =>
    Reflect.apply(Object.getPrototypeOf(client).query, client, values);
  const sendAndNote = (...values: unknown[]) => {
    const sentAt = performance.now();
    unanswered += 1;
    watched.idleSince = Number.POSITIVE_INFINITY;
    const note = (error?: unknown) => {
      unanswered -= 1;
      if (unanswered === 0) watched.idleSince = performance.now();
      if (error instanceof Error && error.message === UNANSWERED) endSilent(client, sentAt);
    };
    const done = values.at(-1);
    if (typeof done === 'function')
      return send(...values.slice(0, -1), (error: unknown, result: unknown) => {
        note(error);
        done(error, result);
      });
    const answer = send(...values) as Promise<unknown>;
    answer.then(() => note(), note);
    return answer;
  };
  client.query = sendAndNote as typeof client.query;
}

function endSilent(client: pg.Client, sentAt: number): void {
  end(client);
  for (const [other, { idleSince }] of connections)
    if (other.host === client.host && other.port === client.port && idleSince < sentAt) end(other);
}

function end(client: pg.Client): void {
  connections.get(client)?.onEnd();
  connections.delete(client);
  // Not `client.end`, which says goodbye to an idle one and waits for the server.
  client.connection.stream.destroy();
}
