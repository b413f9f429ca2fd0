import type { Knex } from 'knex';

/** Changes of a database's schema or roles run one at a time. The lock ends with the transaction. */
export async function lockMigrations(tx: Knex.Transaction): Promise<void> {
  await tx.raw(`select pg_advisory_xact_lock(hashtext('parley migrations'))`);
}
