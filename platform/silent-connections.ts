import pg from 'pg';

/*
 * A connection to PostgreSQL may be open and silent, because its other end is gone. pg gives up a statement after `query_timeout` and
 * keeps the connection: whoever got it next would wait behind that statement.
 */

/** The message of pg's error of a statement that was not answered in time. It has no code. */
const UNANSWERED = 'Query read timeout';

/** The connections of all pools of this process. */
const connections = new Set<WatchedClient>();

/**
 * Ends when a statement on it is not answered in time, and with it those to the same server that have been idle since before that was
 * sent: else each would be tried in turn.
 */
export class WatchedClient extends pg.Client {
  #unanswered = 0;
  #idleSince = performance.now();

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.once('connect', () => connections.add(this));
    this.once('end', () => connections.delete(this));
  }

  override query = ((...values: unknown[]) => {
    const sentAt = performance.now();
    this.#unanswered += 1;
    const note = (error?: unknown) => {
      this.#unanswered -= 1;
      this.#idleSince = performance.now();
      if (error instanceof Error && error.message === UNANSWERED) this.#endSilent(sentAt);
    };
    const send = super.query as (...values: unknown[]) => unknown;
    const done = values.at(-1);
    if (typeof done === 'function')
      return send.call(this, ...values.slice(0, -1), (error: unknown, result: unknown) => {
        note(error);
        done(error, result);
      });
    const answer = send.call(this, ...values) as Promise<unknown>;
    answer.then(() => note(), note);
    return answer;
  }) as pg.Client['query'];

  #endSilent(sentAt: number): void {
    this.#destroy();
    for (const other of connections)
      if (other.host === this.host && other.port === this.port && other.#isIdleSince(sentAt))
        other.#destroy();
  }

  #isIdleSince(time: number): boolean {
    return this.#unanswered === 0 && this.#idleSince < time;
  }

  #destroy(): void {
    connections.delete(this);
    // Knex would hand it out until it hears of the end.
    Object.assign(this, { __knex__disposed: true });
    // Not `end`, which says goodbye to an idle one and waits for the server.
    this.connection.stream.destroy();
  }
}
