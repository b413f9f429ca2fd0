import { type Logger, pino } from 'pino';

/** JSON lines on standard output. Callers name each field they log; nothing is logged as it came. */
export function makeLog(process: string, level: string): Logger {
  return pino({ level, base: { process } });
}
