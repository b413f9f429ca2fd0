import pg from 'pg';
import { WatchedClient } from '../../../platform/silent-connections.ts';

type Done = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/**
 * A pool that opens one connection at a time. Opening one takes many times as long as a statement, so what waits meanwhile
 * mostly gets one that is free again: the parts of a process, which all begin at once, share a few.
 */
export function makeSparingPool(options: pg.PoolConfig & { readonly max: number }): pg.Pool {
  class OpenedAlone extends WatchedClient {
    override connect(): Promise<pg.Client>;
    override connect(done: Done): void;
    /** The pool counts this client already, and always gives `done`. */
    override connect(done?: Done): Promise<pg.Client> | void {
      if (!done) return super.connect();
      pool.options.max = pool.totalCount;
      super.connect((error: Error | null) => {
        pool.options.max = options.max;
        (done as (error: Error | null) => void)(error);
        // Who got this one may keep it, so others do not wait for it. A pool that ends gives no `release`.
        if (!error && pool.waitingCount > 0) pool.connect((_error, _client, release) => release?.());
      });
    }
  }
  const pool = new pg.Pool({ ...options, Client: OpenedAlone });
  return pool;
}
