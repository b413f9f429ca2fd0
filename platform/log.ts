import { type DestinationStream, type Logger, pino } from 'pino';
import { readableLineOf } from './readable-line.ts';

/**
 * Logs JSON lines to standard output, and readable lines to a terminal. Only the fields below are logged of an error, because
 * others may hold personal data: the bytes of an invalid request, the values of an SQL statement.
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

/** Returns the stack without the original message of the error. */
function framesOf(stack: string): string[] {
  return stack.split('\n').filter(line => line.startsWith('    at '));
}

/** These errors quote input: PostgreSQL quotes the invalid value, a parser the invalid text. */
const quotingStates = /^(22|23|P0)[0-9A-Z]{3}$/;

function mayQuoteInput(error: Error, code: unknown): boolean {
  return error instanceof SyntaxError || (typeof code === 'string' && quotingStates.test(code));
}

/** Only errors of knex have a statement before their message. */
const statementStart = /^\s*(with|select|insert|update|delete)\b/i;

/**
 * Keeps the SQL statement, in which values are placeholders, up to its first minus: the message behind it may quote a value with
 * a minus, too.
 */
function removeValues(message: string): string {
  const end = statementStart.test(message) ? message.indexOf(' - ') : -1;
  return end === -1 ? 'redacted: may quote input' : `${message.slice(0, end)} - redacted`;
}
