import pg from 'pg';

/*
 * A connection to PostgreSQL may be open and silent, because its other end is gone. pg gives up on a statement after
 * `query_timeout` and keeps the connection: the next user of it would wait behind that statement.
 */

/** pg's error for a statement without a timely answer has this message, and no code. */
const UNANSWERED = 'Query read timeout';

/** Connections of all pools of this process. */
const connections = new Set<WatchedClient>();

/**
 * A client that ends when a statement gets no timely answer, together with all connections to the same server that were idle
 * since before the statement was sent: otherwise each would be tried in turn.
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
    // Knex would hand the connection out until it hears of its end.
    Object.assign(this, { __knex__disposed: true });
    // `end` would say goodbye to an idle server and wait for it.
    this.connection.stream.destroy();
  }
}
