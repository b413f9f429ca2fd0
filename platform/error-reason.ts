/**
 * The error message without the SQL statement that knex puts before it, and without the stack, which is the same
 * every time.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, errors } = error as Error & { code?: unknown; errors?: readonly Error[] };
  const message = errors?.[0]?.message ?? error.message;
  return [message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, ''), code].filter(Boolean).join(' ');
}

/** Libraries say these in words that are for programmers, and often name another cause. */
const plainReasons: readonly (readonly [RegExp, string])[] = [
  [/pool is probably full/, 'no connection to the database became free in time'],
  [/timeout exceeded when trying to connect/, 'the database accepted no connection in time'],
  [/Connection terminated/, 'the database ended the connection'],
  [/Client has encountered a connection error/, 'the connection to the database is broken'],
  [/NOAUTH/, 'Redis asks for a password, and REDIS_URL has none'],
  [/Stream isn't writeable|Connection is closed/, 'there is no connection to Redis'],
  [/max retries per request|Command timed out/, 'Redis did not answer in time'],
];

/** The message of the error, in our words where it is a known one of a library. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error);
  return plainReasons.find(([pattern]) => pattern.test(message))?.[1] ?? message;
}

/** The code of the error, or else of its cause. */
export function errorCodeOf(error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return code ?? (cause === undefined ? undefined : errorCodeOf(cause));
}

/** `query_canceled` (a statement timeout) and `deadlock_detected`. */
const cancelledCodes: readonly unknown[] = ['57014', '40P01'];

/** Whether PostgreSQL cancelled this statement, because it took too long or was in a deadlock. The database itself works. */
export function isStatementCancelled(error: unknown): boolean {
  return cancelledCodes.includes((error as { code?: unknown } | undefined)?.code);
}
