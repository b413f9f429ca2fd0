import type pg from 'pg';

/*
 * A connection to PostgreSQL may stay open and say nothing, because its other end is gone. pg gives up a statement after its
 * `query_timeout` and keeps the connection: each later statement would wait behind that one.
 */

/** pg's error of a statement that was not answered in time. It has no code. */
const UNANSWERED = 'Query read timeout';

interface Watched {
  unanswered: number;
  answeredAt: number;
  /** Called at once; the events of the client come later. */
  readonly onEnd: () => void;
}

/** The connections of this process, of all its pools. */
const connections = new Map<pg.Client, Watched>();

/**
 * Ends a connection when it does not answer a statement in time, and with it those to the same server that lie idle and have not
 * answered since that was sent: else each would be tried in turn. Call it before the first statement.
 */
export function endWhenSilent(client: pg.Client, onEnd: () => void = () => {}): void {
  const watched = { unanswered: 0, answeredAt: performance.now(), onEnd };
  connections.set(client, watched);
  client.once('end', () => connections.delete(client));
  const send = client.query.bind(client) as (...values: unknown[]) => unknown;
  const sendAndNote = (...values: unknown[]) => {
    const sentAt = performance.now();
    watched.unanswered += 1;
    const note = (error?: unknown) => {
      watched.unanswered -= 1;
      if ((error as Error | undefined)?.message === UNANSWERED) endSilent(client, sentAt);
      else watched.answeredAt = performance.now();
    };
    const done = values.at(-1);
    if (typeof done === 'function')
      return send(...values.slice(0, -1), (error: unknown, result: unknown) => {
        note(error);
        done(error, result);
      });
    const result = send(...values) as Promise<unknown>;
    result.then(() => note(), note);
    return result;
  };
  client.query = sendAndNote as typeof client.query;
}

function endSilent(client: pg.Client, sentAt: number): void {
  end(client);
  for (const [other, { unanswered, answeredAt }] of connections) {
    const isSameServer = other.host === client.host && other.port === client.port;
    if (isSameServer && unanswered === 0 && answeredAt < sentAt) end(other);
  }
}

function end(client: pg.Client): void {
  connections.get(client)?.onEnd();
  connections.delete(client);
  // Missing in the types of pg. `end` would wait for the server.
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
