/**
 * The error message without the SQL statement that knex puts before it, and without the stack, which is the same
 * every time.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, errors } = error as Error & { code?: unknown; errors?: readonly Error[] };
  const message = errors?.[0]?.message ?? error.message;
  return [message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, ''), code].filter(Boolean).join(' ');
}

/** The code of the error, or else that of its cause. */
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
