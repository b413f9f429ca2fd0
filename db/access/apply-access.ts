import type { Knex } from 'knex';
import { findAccessDifferences } from './access-differences.ts';

/**
 * Applies the declared access, only where it differs: changing a policy locks its table. Throws where the database
 * user may not.
 */
export async function applyAccess(tx: Knex.Transaction): Promise<void> {
  for (const { repairSql } of await findAccessDifferences(tx)) await tx.raw(repairSql);
  const left = await findAccessDifferences(tx);
  const missing = left.filter(({ isWording }) => !isWording).map(({ subject }) => subject);
  if (missing.length > 0)
    throw new Error(`The database user may not restore the access to hosts: ${missing.join(', ')}`);
}
