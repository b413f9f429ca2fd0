import type { Knex } from 'knex';
import { HOST_ROLE } from './access/declared.ts';
import type { Db } from './connection.ts';

/** What one host may see, for as long as `work` runs. */
export interface HostScope {
  readonly tx: Knex.Transaction;
  readonly hostId: string;
}

/** What several hosts may see: a domain token's, or an operator's. */
export interface HostsScope {
  readonly tx: Knex.Transaction;
  readonly hostIds: readonly string[];
}

/** The part of knex's own transaction object that is used here; its types leave it out. */
interface StartedTransaction<T> extends PromiseLike<T> {
  begin(connection: PooledConnection): Promise<unknown>;
}
interface PooledConnection {
  __knex__disposed?: unknown;
}

const connections = new WeakMap<Db, Db>();

/** From now on what is done for hosts on `db` runs over connections of its own. */
export function useForHosts(db: Db, forHosts: Db): void {
  connections.set(db, forHosts);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function withHost<T>(db: Db, hostId: string, work: (scope: HostScope) => Promise<T>): Promise<T> {
  return transactionOf(db, [hostId], tx => work({ tx, hostId }));
}

export function withHosts<T>(
  db: Db,
  hostIds: readonly string[],
  work: (scope: HostsScope) => Promise<T>,
): Promise<T> {
  return transactionOf(db, hostIds, tx => work({ tx, hostIds }));
}

/**
 * A transaction under the role that owns nothing, so that row-level security lets it see these hosts alone.
 * Begin, role and hosts travel as one message: every job pays for this, and three round trips would be most of it.
 */
async function transactionOf<T>(
  db: Db,
  hostIds: readonly string[],
  work: (tx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const opening = beginStatementOf(hostIds);
  const { client } = connections.get(db) ?? db;
  let opened = false;
  const container = async (tx: Knex.Transaction) => {
    // Without this a knex that began its transactions in another way would run the work as the owner.
    if (!opened) throw new Error('The transaction was not opened under the role of the host.');
    return work(tx);
  };
  const transaction: StartedTransaction<T> = client.transaction(container, {}, null);
  transaction.begin = async connection => {
    try {
      await client.query(connection, opening);
      opened = true;
    } catch (error) {
      // It may be half open: never back into the pool.
      connection.__knex__disposed = error;
      throw error;
    }
  };
  return transaction;
}

function beginStatementOf(hostIds: readonly string[]): string {
  const wrong = hostIds.find(id => !uuid.test(id));
  if (wrong !== undefined) throw new Error(`A host's id is a UUID, not ${JSON.stringify(wrong)}.`);
  return `begin; set local role ${HOST_ROLE}; set local parley.hosts = '{${hostIds.join(',')}}'`;
}
