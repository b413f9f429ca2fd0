import type { Knex } from 'knex';
import { findGaps } from './gaps.ts';

/**
 * Applies the declared access, only where it differs: changing a policy locks its table. Throws where the database
 * user may not.
 */
export async function applyAccess(tx: Knex.Transaction): Promise<void> {
  for (const { mend } of await findGaps(tx)) await tx.raw(mend);
  const left = await findGaps(tx);
  const missing = left.filter(({ isWording }) => !isWording).map(({ what }) => what);
  if (missing.length > 0)
    throw new Error(`The database user may not restore the access to hosts: ${missing.join(', ')}`);
}
