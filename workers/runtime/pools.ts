import type { Logger } from 'pino';
import { connectAsHostLogin } from '../../db/access/host-login.ts';
import { type ConnectOptions, connect, type Db } from '../../db/connection.ts';
import { assertMigrated, ping } from '../../db/ping.ts';
import { useForHosts } from '../../db/with-hosts.ts';
import { SettingError } from '../../platform/setting-error.ts';

/*
 * A worker's connections, apart by what waits for them, so that a crowd of one kind of work takes nothing from another:
 *   - turns: their claims and commits. An answer that is paid for waits as long as its turn has, which others decide:
 *     the deadline ends the job, and the commit checks it;
 *   - leases: one, so that turns are kept alive however many claim and commit;
 *   - rest: everything else, which fails within 2 s rather than wait; what it does for hosts has connections of its own.
 * Work for hosts runs over the login that owns nothing, where the server has it.
 */
export interface Pools {
  readonly turns: Db;
  readonly leases: Db;
  readonly rest: Db;
  close(): Promise<void>;
}

export interface PoolSettings {
  readonly databaseUrl: string;
  readonly secretKey: string;
}

/** As long as any turn may take. */
const TURN_WAITS_MS = 600_000;
const TURN_CONNECTIONS = 10;
/** Claims leave room for commits, which many turns want at the same time when a model comes back. */
export const CLAIMS_AT_ONCE = TURN_CONNECTIONS / 2;

/** Rejects where the database cannot be reached, lacks what this code needs, or somebody changed the login for hosts. */
export async function openPools(settings: PoolSettings, log: Logger): Promise<Pools> {
  const rest = connect(settings.databaseUrl, { max: 6, applicationName: 'parley-worker' });
  try {
    return await openOthers(rest, settings, log);
  } catch (error) {
    await rest.destroy();
    throw error;
  }
}

async function openOthers(rest: Db, settings: PoolSettings, log: Logger): Promise<Pools> {
  await ping(rest);
  await assertMigrated(rest);
  const connectForHosts = makeHostConnector(rest, settings, log);
  const turns = await connectForHosts({
    max: TURN_CONNECTIONS,
    applicationName: 'parley-turns',
    acquireWithinMs: TURN_WAITS_MS,
  });
  const restForHosts = await connectForHosts({ max: 10, applicationName: 'parley-worker' });
  useForHosts(rest, restForHosts);
  const leases = connect(settings.databaseUrl, { max: 1, applicationName: 'parley-leases' });
  const all = [turns, restForHosts, leases, rest];
  return { turns, leases, rest, close: async () => void (await Promise.all(all.map(db => db.destroy()))) };
}

type HostConnector = (options: ConnectOptions) => Promise<Db>;

/** Says once where there is no login for hosts or the server does not take it, and then uses the owner's. */
function makeHostConnector(owner: Db, { databaseUrl, secretKey }: PoolSettings, log: Logger): HostConnector {
  let isRefused = false;
  return async options => {
    if (isRefused) return connect(databaseUrl, options);
    const login = await connectAsHostLogin(owner, databaseUrl, secretKey, options);
    if ('db' in login) return login.db;
    // Who works for hosts could bring that about: it must not be what gives that work the owner's rights.
    if ('change' in login) throw new SettingError(`${login.change}: run the release step`);
    isRefused = true;
    log.warn(
      { event: 'database.owner_login', reason: login.refusal },
      'work for hosts uses the login of the database owner: run the release step as a user who may make roles',
    );
    return connect(databaseUrl, options);
  };
}
