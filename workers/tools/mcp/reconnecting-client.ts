import { isAnswered, isTimeout } from './call-error.ts';
import type { Connection } from './connection.ts';

/*
 * The connection to one server, opened on first use and again after it was lost.
 *
 *   unconnected -> connecting -> connected -> unconnected (lost) ... -> closed
 *
 * Concurrent callers share one connection attempt. After a failed attempt every call is rejected at once for a while,
 * so that a dead server delays one turn only.
 */

export interface ReconnectingClient {
  isConnected(): boolean;
  /** Runs the work over the connection; after a lost connection it is retried once over a new one, if the rules allow. */
  run<T>(work: (connection: Connection) => Promise<T>, rules: RetryRules): Promise<T>;
  close(): Promise<void>;
}

export interface RetryRules {
  /** The caller gave up: the error does not mean that the connection is lost. */
  isGivenUp(error: unknown): boolean;
  mayRetry(error: unknown): boolean;
}

const RETRY_AFTER_MS = 10_000;
/** After a timeout: the next attempt may delay another turn. */
const RETRY_AFTER_TIMEOUT_MS = 60_000;

export function makeReconnectingClient(
  connect: (onLost: () => void) => Promise<Connection>,
): ReconnectingClient {
  let connecting: Promise<Connection> | undefined;
  let failure: { readonly until: number; readonly error: unknown } | undefined;
  let isClosed = false;

  function connection(): Promise<Connection> {
    if (connecting) return connecting;
    if (isClosed) return Promise.reject(new Error('the MCP client is closed'));
    if (failure && performance.now() < failure.until) return Promise.reject(failure.error);
    const attempt = connect(() => lose(attempt));
    attempt.catch((error: unknown) => {
      failure = {
        until: performance.now() + (isTimeout(error) ? RETRY_AFTER_TIMEOUT_MS : RETRY_AFTER_MS),
        error,
      };
      lose(attempt);
    });
    connecting = attempt;
    return attempt;
  }

  function lose(lost: Promise<Connection>): void {
    if (connecting === lost) connecting = undefined;
    void lost.then(each => each.close()).catch(() => {});
  }

  return {
    isConnected: () => connecting !== undefined,
    async run(work, { isGivenUp, mayRetry }) {
      const first = connection();
      try {
        return await work(await first);
      } catch (error) {
        if (isAnswered(error) || isGivenUp(error)) throw error;
        lose(first);
        if (!mayRetry(error)) throw error;
        return await work(await connection());
      }
    },
    async close() {
      isClosed = true;
      const open = connecting;
      connecting = undefined;
      await open?.then(each => each.close()).catch(() => {});
    },
  };
}
