import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { reasonOf } from './error-reason.ts';

/*
 * A starting process opens a dozen connections. On a machine that starts many processes at once, or beside a database that is
 * itself starting, one of them takes longer than a request may wait, or is refused: then all opened connections are closed, and
 * the start is tried again.
 */

/** A part that is opened during a start, and closed if the start fails. */
interface Closable {
  close(): Promise<unknown>;
}

/** Returns the part, and remembers to close it if the start fails later on. */
export type KeepOpened = <T extends Closable>(opened: T) => T;

const TRY_FOR_MS = 30_000;
const TRY_EVERY_MS = 500;

/** PostgreSQL, Redis and Node report a slow, restarting or missing server with these codes. A wrong password is final. */
const transient =
  /time(d )?-?out|did not answer|Connection (terminated|is closed|ended)|no connection|starting up|shutting down|LOADING|too many (clients|connections)|ECONN(REFUSED|RESET)|E(HOST|NET)UNREACH|EPIPE|EAI_AGAIN/i;

/** Tries to start again while the reason of the failure may pass, for half a minute; logs the first failure. */
export async function startWithAttempts<T>(
  log: Pick<Logger, 'warn'>,
  start: (keep: KeepOpened) => Promise<T>,
  tryForMs = TRY_FOR_MS,
): Promise<T> {
  const giveUpAt = performance.now() + tryForMs;
  for (let attempt = 1; ; attempt += 1) {
    const opened: Closable[] = [];
    const keep: KeepOpened = part => {
      opened.push(part);
      return part;
    };
    try {
      return await start(keep);
    } catch (error) {
      for (const part of opened.toReversed()) await part.close().catch(() => undefined);
      const reason = reasonOf(error);
      if (!transient.test(reason) || performance.now() + TRY_EVERY_MS > giveUpAt) throw error;
      if (attempt === 1)
        log.warn({ event: 'process.start_delayed', reason }, 'the start is tried again: a connection failed');
      await delay(TRY_EVERY_MS);
    }
  }
}
