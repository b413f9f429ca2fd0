import type { Knex } from 'knex';
import { isUuid } from '../platform/uuid.ts';
import { HOST_ROLE } from './access/declared-access.ts';
import type { Db } from './connection.ts';
import { type Actor, actorStatementOf } from './hosts/actor.ts';

/** The scope of one host, for the duration of `work`. */
export interface HostScope {
  readonly tx: Knex.Transaction;
  readonly hostId: string;
}

/** The scope of several hosts, of a domain or operator token. */
export interface HostsScope {
  readonly tx: Knex.Transaction;
  readonly hostIds: readonly string[];
}

export function toHostsScope({ tx, hostId }: HostScope): HostsScope {
  return { tx, hostIds: [hostId] };
}

/** The part of knex's transaction that is used here; its types omit it. */
interface StartedTransaction<T> extends PromiseLike<T> {
  begin(connection: PooledConnection): Promise<unknown>;
}
interface PooledConnection {
  readonly pipeline: boolean;
  __knex__disposed?: unknown;
}

/** `actor` is named in the audit rows of what `work` changes. */
export async function withHost<T>(
  db: Db,
  hostId: string,
  work: (scope: HostScope) => Promise<T>,
  actor?: Actor,
): Promise<T> {
  return transactionOf(db, beginStatementOf([hostId], actor), tx => work({ tx, hostId }));
}

export async function withHosts<T>(
  db: Db,
  hostIds: readonly string[],
  work: (scope: HostsScope) => Promise<T>,
): Promise<T> {
  return transactionOf(db, beginStatementOf(hostIds), tx => work({ tx, hostIds }));
}

/**
 * Runs a transaction under the role that owns nothing, so that row-level security shows it these hosts only. BEGIN, role and
 * hosts are sent as one message: every job pays for it, and three round trips would dominate.
 */
async function transactionOf<T>(
  db: Db,
  openingText: string,
  work: (tx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const { client } = db;
  let opening: Promise<unknown> | undefined;
  const container = async (tx: Knex.Transaction) => {
    // Another version of knex may begin transactions in another way: the work would then run as the owner.
    if (!opening) throw new Error('The transaction was not opened under the role of the host.');
    const [opened, done] = await Promise.allSettled([opening, work(tx)]);
    if (opened.status === 'rejected') throw opened.reason;
    if (done.status === 'rejected') throw done.reason;
    return done.value;
  };
  const transaction: StartedTransaction<T> = client.transaction(container, {}, null);
  // PostgreSQL also runs the statements after an opening that was cancelled before BEGIN. So the first statement is sent at
  // once only under a login that may do nothing before it has taken the role.
  transaction.begin = async connection => {
    opening = client.query(connection, openingText).catch((error: unknown) => {
      // The transaction may be open: the connection must not return to the pool.
      connection.__knex__disposed = error;
      throw error;
    });
    if (!connection.pipeline) await opening;
  };
  return transaction;
}

function beginStatementOf(hostIds: readonly string[], actor?: Actor): string {
  const invalidId = hostIds.find(id => !isUuid(id));
  if (invalidId !== undefined) throw new Error(`A host's id is a UUID, not ${JSON.stringify(invalidId)}.`);
  const hosts = `begin; set local role ${HOST_ROLE}; set local parley.hosts = '{${hostIds.join(',')}}'`;
  return actor ? `${hosts}; ${actorStatementOf(actor)}` : hosts;
}
