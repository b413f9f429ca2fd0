import makeKnex, { type Knex } from 'knex';
import type pg from 'pg';
import { isStatementCancelled } from '../platform/error-reason.ts';
import { WatchedClient } from '../platform/silent-connections.ts';
import { extendDuringStart } from '../platform/start-attempts.ts';

export type Db = Knex;

export interface ConnectOptions {
  readonly max?: number;
  /** Timeout for a free connection of the pool. */
  readonly acquireWithinMs?: number;
  /** Timeout for opening a connection, which may take seconds. By default that for a free one, at most a statement's. */
  readonly connectWithinMs?: number;
  readonly applicationName?: string;
  readonly statementTimeoutMs?: number;
  /** The client's timeout of a statement, which also ends the connection of a database that hangs. */
  readonly answerWithinMs?: number;
  /** Commits do not wait for the disk: a crash of the server may lose the last second's. Only for work that is repeated then. */
  readonly mayLoseLast?: boolean;
  /** A transaction opens with its first statement: only for a login without rights of its own (see `withHost`). */
  readonly isPipelined?: boolean;
}

/**
 * Opens a lazy connection pool. By default it waits 2 s for a connection (15 s during a start) and 5 s for a statement. An idle
 * connection that dies is replaced without an error, and a silent one with the error of one statement.
 */
export function connect(url: string, options: ConnectOptions = {}): Db {
  const { acquireWithinMs = 2_000, answerWithinMs = 7_000 } = options;
  const db = makeKnex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: options.applicationName ?? 'parley',
      statement_timeout: options.statementTimeoutMs ?? 5_000,
      // Queries take milliseconds; JIT compilation would take a hundred.
      options: `-c jit=off${options.mayLoseLast ? ' -c synchronous_commit=off' : ''}`,
      query_timeout: answerWithinMs,
      // Transactions make no network calls, so an idle one this old belongs to a process that hangs.
      idle_in_transaction_session_timeout: 30_000,
      connectionTimeoutMillis: options.connectWithinMs ?? Math.min(acquireWithinMs, answerWithinMs),
      keepAlive: true,
    },
    pool: { min: 0, max: options.max ?? 10 },
    acquireConnectionTimeout: acquireWithinMs,
    // Knex warns only of dead pooled connections, which it replaces.
    log: { warn: () => {} },
  });
  // Knex has no option for the class.
  (db.client as { driver: object }).driver = {
    Client: options.isPipelined ? PipelinedClient : WatchedClient,
  };
  extendDuringStart(db.client.connectionSettings, 'connectionTimeoutMillis');
  extendDuringStart(db.client.pool, 'acquireTimeoutMillis');
  return db;
}

/**
 * Sends a statement while the answer to the one before is on its way, and those of one moment by one write: the writes to sockets
 * are an eighth of what a turn costs its worker.
 */
class PipelinedClient extends WatchedClient {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, pipeline: true });
    const { query } = this;
    this.query = ((...values: Parameters<typeof query>) => {
      const { stream } = this.connection;
      stream.cork();
      process.nextTick(() => stream.uncork());
      return query(...values);
    }) as typeof query;
  }
}

/**
 * Shutdown, startup, read-only, disk full, too many connections, cancelled, deadlock, rejected login (class 28),
 * broken connection (class 08), no way to the server.
 */
const unavailableCodes =
  /^(28|57P0[123]|25006|57014|40P01|53[0-9A-Z]{3}|08[0-9A-Z]{3}|ECONN|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN)/;

/** Errors of pg without a code, when a connection breaks or hangs; knex prefixes the statement. */
const unavailableTexts =
  /(Connection terminated( unexpectedly| due to connection timeout)?|timeout expired|Query read timeout|connection error and is not queryable|Client was closed and is not queryable)$/;

/** Whether the database is unavailable, as opposed to a wrong query. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, name, message } = error as Error & { code?: string };
  if (code !== undefined) return unavailableCodes.test(code);
  return name === 'KnexTimeoutError' || unavailableTexts.test(message);
}

export function isDiskFull(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === '53100';
}

/** Whether the database is unavailable for other statements, too. */
export function isDatabaseOutage(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !isStatementCancelled(error);
}

/** Whether a commit failed because the deadline of its turn had passed. */
export function isTooLate(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === 'PT408';
}
