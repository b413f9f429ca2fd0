import { isAnswered, isTimeout } from './call-fault.ts';
import type { Connection } from './connection.ts';

/*
 * The connection to one server, made when it is first needed and again after it was lost.
 *
 *   unconnected -> connecting -> connected -> unconnected (lost) ... -> closed
 *
 * Whoever needs it while it is connecting waits for that same attempt. An attempt that failed is not repeated for
 * a while: until then whoever asks is refused at once, so that a dead server costs no turn more than the first one.
 */

export interface ReconnectingClient {
  isConnected(): boolean;
  /** Has the work done over the connection; where that is lost and it may help, once more over a new one. */
  over<T>(work: (connection: Connection) => Promise<T>, limits: RetryRules): Promise<T>;
  close(): Promise<void>;
}

export interface RetryRules {
  /** The connection may be well all the same. */
  isGivenUp(error: unknown): boolean;
  mayRepeat(error: unknown): boolean;
}

const FAILED_MS = 10_000;
/** For one that says nothing: to find that out again costs a turn its wait. */
const SILENT_MS = 60_000;

export function makeReconnectingClient(
  connect: (onLost: () => void) => Promise<Connection>,
): ReconnectingClient {
  let connecting: Promise<Connection> | undefined;
  let failure: { readonly until: number; readonly error: unknown } | undefined;
  let isClosed = false;

  function connection(): Promise<Connection> {
    if (connecting) return connecting;
    if (isClosed) return Promise.reject(new Error('this server is no longer in use'));
    if (failure && performance.now() < failure.until) return Promise.reject(failure.error);
    const attempt = connect(() => lose(attempt));
    attempt.catch((error: unknown) => {
      failure = { until: performance.now() + (isTimeout(error) ? SILENT_MS : FAILED_MS), error };
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
    async over(work, { isGivenUp, mayRepeat }) {
      const first = connection();
      try {
        return await work(await first);
      } catch (error) {
        if (isAnswered(error) || isGivenUp(error)) throw error;
        lose(first);
        if (!mayRepeat(error)) throw error;
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
