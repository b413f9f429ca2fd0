import { isUuid } from '../platform/uuid.ts';
import { HOST_ROLE } from './access/declared-access.ts';
import type { Db } from './connection.ts';
import { HostTransaction, type PooledConnection, type Runner } from './host-transaction.ts';
import { type Actor, actorStatementOf } from './hosts/actor.ts';

/** The scope of one host, for the duration of `work`. */
export interface HostScope {
  readonly tx: Runner;
  readonly hostId: string;
}

/** The scope of several hosts, of a domain or operator token. */
export interface HostsScope {
  readonly tx: Runner;
  readonly hostIds: readonly string[];
}

export function toHostsScope({ tx, hostId }: HostScope): HostsScope {
  return { tx, hostIds: [hostId] };
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
  work: (tx: HostTransaction) => Promise<T>,
): Promise<T> {
  const connection: PooledConnection = await db.client.acquireConnection();
  const tx = new HostTransaction(connection);
  // Its transaction may be open: it must not return to the pool.
  const dispose = (error: unknown) => {
    connection.__knex__disposed = error;
  };
  try {
    const opening = tx.run({ text: openingText }).catch(error => {
      dispose(error);
      throw error;
    });
    // PostgreSQL also runs the statements after an opening that was cancelled before BEGIN. So the first statement is sent at
    // once only under a login that may do nothing before it has taken the role.
    if (!connection.pipeline) await opening;
    const [opened, done] = await Promise.allSettled([opening, work(tx)]);
    if (opened.status === 'rejected') throw opened.reason;
    if (done.status === 'rejected') {
      await tx.rollback().catch(dispose);
      throw done.reason;
    }
    // A COMMIT that PostgreSQL refuses, which has a code, has ended the transaction.
    await tx.commit().catch(error => {
      if (error.code === undefined) dispose(error);
      throw error;
    });
    return done.value;
  } finally {
    await db.client.releaseConnection(connection);
  }
}

function beginStatementOf(hostIds: readonly string[], actor?: Actor): string {
  const invalidId = hostIds.find(id => !isUuid(id));
  if (invalidId !== undefined) throw new Error(`A host's id is a UUID, not ${JSON.stringify(invalidId)}.`);
  const hosts = `begin; set local role ${HOST_ROLE}; set local parley.hosts = '{${hostIds.join(',')}}'`;
  return actor ? `${hosts}; ${actorStatementOf(actor)}` : hosts;
}
