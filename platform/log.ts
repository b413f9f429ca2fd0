import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * JSON lines on standard output. Callers name each field they log; of an error only these are taken, for others
 * hold what was sent: the bytes of a broken request, the values of a statement.
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

/** The database quotes the value that it could not take, a parser the text that it could not read. */
const quotingStates = /^(22|23|P0)[0-9A-Z]{3}$/;

function mayQuoteInput(error: Error, code: unknown): boolean {
  return error instanceof SyntaxError || (typeof code === 'string' && quotingStates.test(code));
}

/** Of a database's error the statement stays, in which values are numbers: knex puts it before what the database said. */
function removeValues(message: string): string {
  const end = message.lastIndexOf(' - ');
  return end === -1 ? 'left out: it may quote what was sent' : `${message.slice(0, end)} - left out`;
}
