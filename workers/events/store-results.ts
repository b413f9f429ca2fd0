import type { Db } from '../../db/connection.ts';
import { type AttemptResult, noteResults } from '../../db/events/deliveries.ts';

/**
 * Stores results together, and each alone where that fails: a webhook that is deleted meanwhile, or a result that the
 * database refuses, must not cost the results of other hosts. In the same order.
 */
export async function storeResults(
  db: Db,
  results: readonly AttemptResult[],
): Promise<PromiseSettledResult<void>[]> {
  const together = await settle(noteResults(db, results));
  if (together.status === 'fulfilled' || results.length === 1) return results.map(() => together);
  return Promise.allSettled(results.map(result => noteResults(db, [result])));
}

async function settle(work: Promise<void>): Promise<PromiseSettledResult<void>> {
  const [settled] = await Promise.allSettled([work]);
  return settled;
}
