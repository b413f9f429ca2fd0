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
