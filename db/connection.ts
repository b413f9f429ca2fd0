import makeKnex, { type Knex } from 'knex';

export type Db = Knex;

export interface ConnectOptions {
  readonly max?: number;
  readonly applicationName?: string;
}

/**
 * A pool of connections, opened when first needed. Nobody waits longer than 2 s for a connection, no statement
 * runs longer than 5 s, and a connection that dies while idle is replaced without an error.
 */
export function connect(url: string, options: ConnectOptions = {}): Db {
  return makeKnex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: options.applicationName ?? 'parley',
      statement_timeout: 5_000,
      // A transaction makes no network call, so one that idles this long belongs to a process that hangs.
      idle_in_transaction_session_timeout: 30_000,
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    },
    pool: { min: 0, max: options.max ?? 10 },
    acquireConnectionTimeout: 2_000,
    // It warns only of pooled connections found dead, at the very moment it replaces them.
    log: { warn: () => {} },
  });
}
