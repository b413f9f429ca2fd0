import type { Knex } from 'knex';
import type pg from 'pg';

/** Runs the statements of `rowsOf`: a transaction of hosts, one of the owner, or the pool, a connection for each. */
export type Runner = Knex | HostTransaction;

/** A connection of the pool, as `connection.ts` makes it. */
export interface PooledConnection {
  readonly pipeline: boolean;
  /** It does not go back to the pool. */
  __knex__disposed?: unknown;
  query(query: pg.QueryConfig, done: (error: Error | null, result: pg.QueryResult) => void): void;
}

/** A transaction of hosts. Its statements go straight to their connection: in a turn they cost half of what they cost by knex. */
export class HostTransaction {
  readonly #connection: PooledConnection;
  #hasEnded = false;

  constructor(connection: PooledConnection) {
    this.#connection = connection;
  }

  run(query: pg.QueryConfig): Promise<pg.QueryResult> {
    // The connection may be in a transaction of other hosts by now.
    if (this.#hasEnded) throw new Error(`The transaction has ended before: ${query.text}`);
    return runOn(this.#connection, query);
  }

  /** PostgreSQL answers COMMIT with ROLLBACK after a statement that failed. */
  async commit(): Promise<void> {
    const { command } = await this.#end('commit');
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement had failed.');
  }

  async rollback(): Promise<void> {
    await this.#end('rollback');
  }

  #end(text: string): Promise<pg.QueryResult> {
    const ending = this.run({ text });
    this.#hasEnded = true;
    return ending;
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
