import type { Knex } from 'knex';
import { findGaps } from './gaps.ts';

/**
 * Makes the access what it is declared to be. Touches only what is not: a change of a policy waits for all who use its
 * table. Throws where something cannot be mended.
 */
export async function applyAccess(tx: Knex.Transaction): Promise<void> {
  for (const { mend } of await findGaps(tx)) await tx.raw(mend);
  const left = await findGaps(tx);
  const missing = left.filter(({ isWording }) => !isWording).map(({ what }) => what);
  if (missing.length > 0)
    throw new Error(`The database user may not restore the access to hosts: ${missing.join(', ')}`);
}
