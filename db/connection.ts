import makeKnex, { type Knex } from 'knex';

export type Db = Knex;

export interface ConnectOptions {
  readonly max?: number;
  /** How long work may wait for a connection while all are taken. */
  readonly acquireWithinMs?: number;
  readonly applicationName?: string;
  /** How long a statement may go without an answer: also when the database hangs and ends nothing itself. */
  readonly answerWithinMs?: number;
}

/**
 * A pool of connections, opened when first needed. Unless told otherwise nobody waits longer than 2 s for a connection; no statement
 * runs longer than 5 s, and a connection that dies while idle is replaced without an error.
 */
export function connect(url: string, options: ConnectOptions = {}): Db {
  return makeKnex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: options.applicationName ?? 'parley',
      statement_timeout: 5_000,
      // What is asked here takes milliseconds; compiling it first would take a hundred.
      options: '-c jit=off',
      query_timeout: options.answerWithinMs ?? 7_000,
      // A transaction makes no network call, so one that idles this long belongs to a process that hangs.
      idle_in_transaction_session_timeout: 30_000,
      connectionTimeoutMillis: 2_000,
      keepAlive: true,
    },
    pool: { min: 0, max: options.max ?? 10 },
    acquireConnectionTimeout: options.acquireWithinMs ?? 2_000,
    // It warns only of pooled connections found dead, at the very moment it replaces them.
    log: { warn: () => {} },
  });
}

/**
 * Shutting down, starting up, read-only, full, out of connections, cancelled by a limit, a deadlock's victim, a login
 * refused (class 28), or a broken connection (class 08).
 */
const troubleCode =
  /^(28|57P0[123]|25006|57014|40P01|53[0-9A-Z]{3}|08[0-9A-Z]{3}|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)/;

/** These come without a code: from pg when a connection breaks or hangs, behind the statement that knex puts first. */
const troubleText =
  /(Connection terminated( unexpectedly| due to connection timeout)?|timeout expired|Query read timeout|connection error and is not queryable|Client was closed and is not queryable)$/;

/** Whether this error says that the database cannot be reached or asked now, rather than that we asked wrongly. */
export function isDatabaseTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, name, message } = error as Error & { code?: string };
  if (code !== undefined) return troubleCode.test(code);
  return name === 'KnexTimeoutError' || troubleText.test(message);
}

/** Whether a commit was refused because the time of its turn was up by then. */
export function isTooLate(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === 'PT408';
}
