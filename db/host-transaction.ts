import type { Knex } from 'knex';
import type pg from 'pg';

/** Runs the statements of `rowsOf`: a transaction of hosts, one of the owner, or the pool, a connection for each. */
export type Runner = Knex | HostTransaction;

export interface PooledConnection {
  readonly pipeline: boolean;
  /** It does not go back to the pool. */
  __knex__disposed?: unknown;
  query(query: pg.QueryConfig, done: (error: Error | null, result: pg.QueryResult) => void): void;
}

/** A transaction of hosts. Its statements go straight to their connection: in a turn they cost half of what they cost by knex. */
export class HostTransaction {
  readonly #connection: PooledConnection;
  #ending: Promise<pg.QueryResult> | undefined;

  constructor(connection: PooledConnection) {
    this.#connection = connection;
  }

  /** Behind a last statement COMMIT is sent at once, so it must fail where nothing is to be stored. */
  run(query: pg.QueryConfig, isLast = false): Promise<pg.QueryResult> {
    // The connection may be in a transaction of other hosts by now.
    if (this.#ending) throw new Error(`The transaction has ended before: ${query.text}`);
    const answer = runOn(this.#connection, query);
    // Without a pipeline it would wait for the answer here.
    if (isLast && this.#connection.pipeline) this.#end('commit').catch(() => undefined);
    return answer;
  }

  /** PostgreSQL answers COMMIT with ROLLBACK after a statement that failed. */
  async commit(): Promise<void> {
    const { command } = await (this.#ending ?? this.#end('commit'));
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement had failed.');
  }

  async rollback(): Promise<void> {
    await (this.#ending ?? this.#end('rollback'));
  }

  #end(text: string): Promise<pg.QueryResult> {
    this.#ending = this.run({ text });
    return this.#ending;
  }
}

/** Runs a statement on its own, or in a transaction of the owner. */
export async function runOnce(db: Knex, query: pg.QueryConfig): Promise<pg.QueryResult> {
  if ((db as Knex.Transaction).isCompleted?.())
    throw new Error(`The transaction has ended before: ${query.text}`);
  // The client of a transaction has its connection alone.
  const connection: PooledConnection = await db.client.acquireConnection();
  try {
    return await runOn(connection, query);
  } finally {
    await db.client.releaseConnection(connection);
  }
}

/** The stack of an error of pg shows none of our code, so its statement stands before its message, without values. */
function runOn(connection: PooledConnection, query: pg.QueryConfig): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    connection.query(query, (error, result) => {
      if (!error) return resolve(result);
      error.message = `${query.text} - ${error.message}`;
      reject(error);
    });
  });
}
