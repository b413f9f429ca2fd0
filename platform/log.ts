import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * JSON lines on standard output. Of an error only the fields below are logged, because others may hold personal data:
 * the bytes of an invalid request, the values of an SQL statement.
 */
export function makeLog(process: string, level: string, destination?: DestinationStream): Logger {
  const serializers = { err: errorFieldsOf };
  return destination
    ? pino({ level, base: { process }, serializers }, destination)
    : pino({ level, base: { process }, serializers });
}

function errorFieldsOf(error: unknown) {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, message, stack = '', code } = error as Error & { code?: unknown };
  const safeMessage = mayQuoteInput(error, code) ? removeValues(message) : message;
  return {
    name,
    message: safeMessage,
    stack: stack.replace(message, () => safeMessage),
    ...(typeof code === 'string' ? { code } : {}),
  };
}

/** Errors that quote input: PostgreSQL quotes the invalid value, a parser the invalid text. */
const quotingStates = /^(22|23|P0)[0-9A-Z]{3}$/;

function mayQuoteInput(error: Error, code: unknown): boolean {
  return error instanceof SyntaxError || (typeof code === 'string' && quotingStates.test(code));
}

/**
 * Keeps the SQL statement, in which values are placeholders: knex puts it before the message of the database. Only up to its first minus,
 * because a value that is quoted may have one, too.
 */
function removeValues(message: string): string {
  const end = message.indexOf(' - ');
  return end === -1 ? 'redacted: may quote input' : `${message.slice(0, end)} - redacted`;
}
