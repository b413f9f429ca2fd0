import { setTimeout as delay } from 'node:timers/promises';
import type { IBackoff } from 'cockatiel';
import { messageOf, reasonOf } from './error-reason.ts';
import { SettingError } from './field-error.ts';
import { makeBackoff } from './repeat.ts';

/*
 * A starting process opens a dozen connections. On a machine that starts many processes at once, or beside a database that is
 * itself starting, one of them takes longer than a request may wait, or is refused: so a start waits longer for each, and where
 * it fails, all opened connections are closed, and it is tried again in this process, which a restart would load anew. Measured
 * at a load of 20 to 75: eight of sixteen starts were never ready, because each gave up after 2 s a connection.
 */

interface Closable {
  close(): Promise<unknown>;
}

export interface DelayLog {
  warn(line: { readonly event: string; readonly reason: string }, text: string): void;
}

/** Returns the part, and remembers to close it: also if the start fails later on. */
export type KeepOpened = <T extends Closable>(opened: T) => T;

/** Opens the parts of a process. What is opened last closes first. */
type Start<T> = (keep: KeepOpened, closeKept: () => Promise<void>) => Promise<T>;

const TRY_FOR_MS = 300_000;
const PAUSES = makeBackoff(500, 5_000);
/** Where no request waits for a connection, also that of a command. */
export const CONNECT_WITHIN_MS = 15_000;

/** PostgreSQL is overloaded, starting, stopping or broken off, or cancelled the statement. */
const transientCodes = /^(08(?!P01)|53300|57P0|57014)/;
/** Redis, Node and the clients report a slow, restarting or missing server with these words. */
const transient =
  /time(d ?)?-?out|did not answer|Connection (terminated|is closed|ended)|no connection|LOADING|too many (clients|connections)|ECONN(REFUSED|RESET)|E(HOST|NET)UNREACH|EPIPE|EAI_AGAIN|ENOTFOUND/i;

let starts = 0;

/** Makes this limit of a pool, in milliseconds, at least 15 s as long as a start runs in this process. */
export function extendDuringStart<Name extends string>(
  pool: Partial<Record<Name, unknown>>,
  limit: Name,
): void {
  const usual = Number(pool[limit]);
  Object.defineProperty(pool, limit, {
    get: () => (starts > 0 ? Math.max(usual, CONNECT_WITHIN_MS) : usual),
  });
}

/** Tries to start again while the reason of the failure may pass, for five minutes; logs the first failure. */
export async function startWithAttempts<T>(
  log: DelayLog,
  start: Start<T>,
  tryForMs = TRY_FOR_MS,
): Promise<T> {
  starts += 1;
  try {
    return await tryToStart(log, start, tryForMs);
  } finally {
    starts -= 1;
  }
}

async function tryToStart<T>(log: DelayLog, start: Start<T>, tryForMs: number): Promise<T> {
  const giveUpAt = performance.now() + tryForMs;
  let pause: IBackoff<void> | undefined;
  for (;;) {
    const opened: Closable[] = [];
    const keep: KeepOpened = part => {
      opened.push(part);
      return part;
    };
    const closeKept = async () => {
      for (let part = opened.pop(); part; part = opened.pop()) await part.close();
    };
    try {
      return await start(keep, closeKept);
    } catch (error) {
      while (opened.length > 0) await closeKept().catch(() => undefined);
      const isFirst = pause === undefined;
      pause = (pause ?? PAUSES).next();
      // Nobody waits for a process whose launcher has died.
      const isOrphan = process.send !== undefined && !process.connected;
      if (!mayPass(error) || isOrphan || performance.now() + pause.duration > giveUpAt) throw error;
      if (isFirst)
        log.warn(
          { event: 'process.start_delayed', reason: reasonOf(error) },
          'the start is tried again: a connection failed',
        );
      await delay(pause.duration);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof SettingError) return false;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  // The message of PostgreSQL may quote a name such as "timeout"; the codes of Node have no digit.
  if (typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return transientCodes.test(code);
  return transient.test(messageOf(error));
}
