import { type DestinationStream, type Logger, pino } from 'pino';
import { readableLineOf } from './readable-line.ts';

/**
 * JSON lines on standard output, readable ones where that is a terminal. Of an error only the fields below are logged, because others may hold personal data:
 * the bytes of an invalid request, the values of an SQL statement.
 */
export function makeLog(
  process: string,
  level: string,
  destination: DestinationStream | undefined = terminal(),
): Logger {
  const serializers = { err: errorFieldsOf };
  return destination
    ? pino({ level, base: { process }, serializers }, destination)
    : pino({ level, base: { process }, serializers });
}

function terminal(): DestinationStream | undefined {
  const { stdout } = process;
  if (!stdout.isTTY) return undefined;
  return { write: line => void stdout.write(`${readableLineOf(line) ?? line.trimEnd()}\n`) };
}

function errorFieldsOf(error: unknown) {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, message, stack = '', code } = error as Error & { code?: unknown };
  const isQuoting = mayQuoteInput(error, code);
  const safeMessage = isQuoting ? removeValues(message) : message;
  return {
    name,
    message: safeMessage,
    stack: isQuoting ? [`${name}: ${safeMessage}`, ...framesOf(stack)].join('\n') : stack,
    ...(typeof code === 'string' ? { code } : {}),
  };
}

/** Without the message that the error had when it was made. */
function framesOf(stack: string): string[] {
  return stack.split('\n').filter(line => line.startsWith('    at '));
}

/** Errors that quote input: PostgreSQL quotes the invalid value, a parser the invalid text. */
const quotingStates = /^(22|23|P0)[0-9A-Z]{3}$/;

function mayQuoteInput(error: Error, code: unknown): boolean {
  return error instanceof SyntaxError || (typeof code === 'string' && quotingStates.test(code));
}

/** Errors have a statement before their message only if they are of knex. */
const statementStart = /^\s*(with|select|insert|update|delete)\b/i;

/**
 * Keeps the SQL statement, in which values are placeholders. Only up to its first minus, because a value that is quoted may have one,
 * too.
 */
function removeValues(message: string): string {
  const end = statementStart.test(message) ? message.indexOf(' - ') : -1;
  return end === -1 ? 'redacted: may quote input' : `${message.slice(0, end)} - redacted`;
}
