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
  const { name, message, stack, code } = error as Error & { code?: unknown };
  return { name, message, stack, ...(typeof code === 'string' ? { code } : {}) };
}
