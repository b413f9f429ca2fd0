import type { Logger } from 'pino';
import { connectAsHostLogin } from '../../db/access/host-login.ts';
import { type ConnectOptions, connect, type Db } from '../../db/connection.ts';
import { checkAtStart } from '../../db/database-checks.ts';
import { SettingError } from '../../platform/field-error.ts';
import type { GateLimits } from '../../platform/gate.ts';
import { MAX_TIME_LIMIT_MS } from '../../queues/transport/job-limits.ts';
import { HEAVY_CONNECTIONS } from './host-gate.ts';

/*
 * The connection pools of a worker. Each kind of work has its own, so that a rush of one kind cannot starve another:
 *   - turns: claims and commits of turns. They wait for a connection without a limit of their own, because the answer is
 *     already paid for: the deadline ends the job, and the commit checks it. Opening one may take as long as a statement;
 *   - leases: one connection, so that leases are renewed however many turns claim and commit;
 *   - spend: the cost of model calls, in statements of a millisecond; a reservation waits without a limit, like a turn;
 *   - heavy: searches, reports, long lists and replays, whose number is limited (host-gate.ts). They wait like turns;
 *   - trials: reads of rehearsals before a change is saved (turns/try-change.ts);
 *   - hosts: everything else that is done for hosts, of which one may use a part;
 *   - owner: everything else, such as claims of work of all hosts.
 * The last two fail after 2 s without a connection. Turns, heavy, trials and hosts use the login that owns no table, if
 * the server has it: it refuses work that is not for hosts.
 */
export interface Pools {
  readonly turns: Db;
  readonly leases: Db;
  readonly spend: Db;
  readonly heavy: Db;
  readonly trials: Db;
  readonly hosts: Db;
  readonly owner: Db;
}

export interface OpenPools extends Pools {
  close(): Promise<void>;
}

export interface PoolSettings {
  readonly databaseUrl: string;
  readonly secretKey: string;
}

const TURN_CONNECTIONS = 10;
const OWNER_CONNECTIONS = 4;
/** One host may use two thirds of the pool, which leaves a connection for the others: `hosts` fails after 2 s without one. */
export const HOSTS_LIMITS: GateLimits = { maxTotal: 6, maxPerKey: 4 };
/** Leaves connections for commits: many turns commit at the same time when a model recovers. */
export const CLAIM_LIMITS: GateLimits = { maxTotal: TURN_CONNECTIONS / 2, maxPerKey: 3 };
/** For attachments of turns. With its claims and commits, one host may use nine of ten. */
export const ATTACHMENT_LIMITS: GateLimits = { maxTotal: TURN_CONNECTIONS / 2, maxPerKey: 2 };
/** With its claims, one host may use seven of ten: its commits may all wait for the lock of one contact. */
export const COMMIT_LIMITS: GateLimits = { maxTotal: TURN_CONNECTIONS, maxPerKey: 4 };
/** Rehearsals make the change in each transaction, so rehearsals of one host would wait for each other. */
export const TRIAL_READ_LIMITS: GateLimits = { maxTotal: 2, maxPerKey: 1 };

/** The database runs one host's reservations one after the other; a third connection records. */
export const LEDGER_LIMITS: GateLimits = { maxTotal: 2, maxPerKey: 1 };

/** Rejects if the database cannot be reached or lacks a migration, or if the login for hosts was changed. */
export async function openPools(settings: PoolSettings, log: Logger): Promise<OpenPools> {
  const opened: Db[] = [];
  const close = async () => void (await Promise.all(opened.map(db => db.destroy())));
  const keep = (db: Db): Db => {
    opened.push(db);
    return db;
  };
  try {
    return { ...(await openAll(settings, log, keep)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAll(settings: PoolSettings, log: Logger, keep: (db: Db) => Db): Promise<Pools> {
  const connectAsOwner = (options: ConnectOptions) => keep(connect(settings.databaseUrl, options));
  const owner = connectAsOwner({ max: OWNER_CONNECTIONS, applicationName: 'parley-worker' });
  await checkAtStart(owner);
  const connectForHosts = makeHostConnector(owner, settings, log);
  const openForHosts = async (options: ConnectOptions) => keep(await connectForHosts(options));
  const turns = await openForHosts({
    max: TURN_CONNECTIONS,
    applicationName: 'parley-turns',
    acquireWithinMs: MAX_TIME_LIMIT_MS,
  });
  const heavy = await openForHosts({
    max: HEAVY_CONNECTIONS,
    applicationName: 'parley-heavy',
    acquireWithinMs: MAX_TIME_LIMIT_MS,
  });
  const trials = await openForHosts({
    // One more connection checks answers.
    max: TRIAL_READ_LIMITS.maxTotal + 1,
    applicationName: 'parley-trials',
    acquireWithinMs: MAX_TIME_LIMIT_MS,
  });
  const hosts = await openForHosts({
    max: HOSTS_LIMITS.maxTotal,
    applicationName: 'parley-worker',
  });
  const leases = connectAsOwner({ max: 1, applicationName: 'parley-leases' });
  const spend = connectAsOwner({
    max: LEDGER_LIMITS.maxTotal + 1,
    applicationName: 'parley-spend',
    acquireWithinMs: MAX_TIME_LIMIT_MS,
  });
  return { turns, leases, spend, heavy, trials, hosts, owner };
}

type HostConnector = (options: ConnectOptions) => Promise<Db>;

/**
 * Falls back to the owner's login, and logs that, if the login for hosts is missing or refused. The first pool finds that out;
 * the others open no connection before they are used.
 */
function makeHostConnector(owner: Db, { databaseUrl, secretKey }: PoolSettings, log: Logger): HostConnector {
  let found: { readonly url: string; readonly isPipelined: boolean } | undefined;
  return async options => {
    if (found) return connect(found.url, { ...options, isPipelined: found.isPipelined });
    const login = await connectAsHostLogin(owner, databaseUrl, secretKey, options);
    if ('db' in login) {
      found = { url: login.url, isPipelined: true };
      return login.db;
    }
    // A tenant's statement may have changed the login, which must not give it the owner's rights.
    if ('change' in login) throw new SettingError(`${login.change}: run the release step`);
    found = { url: databaseUrl, isPipelined: false };
    log.warn(
      { event: 'database.owner_login', reason: login.refusal },
      'work for hosts uses the login of the database owner: see that web, workers and the release step have the same SECRET_KEY, then run the release step as a user who may make roles',
    );
    return connect(databaseUrl, options);
  };
}
