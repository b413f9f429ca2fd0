import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** From when until when somebody may read it. Undefined: that end stays as it is; null: there is none. */
export interface Validity {
  readonly from?: Date | null | undefined;
  readonly until?: Date | null | undefined;
}

/** Passages in one statement: each is written to the index of words, and thousands would take longer than a statement may. */
const WRITTEN_AT_ONCE = 500;

export function isGiven({ from, until }: Validity): boolean {
  return from !== undefined || until !== undefined;
}

/** Sets the columns `valid_from` and `valid_until` of a table that has them. */
export function validityColumns({ from, until }: Validity) {
  return sql`
    valid_from = case when ${from === undefined} then valid_from else ${from ?? null}::timestamptz end,
    valid_until = case when ${until === undefined} then valid_until else ${until ?? null}::timestamptz end`;
}

export async function setValidity(
  { tx, hostId }: HostScope,
  chunkIds: readonly string[],
  validity: Validity,
): Promise<void> {
  if (!isGiven(validity)) return;
  for (let at = 0; at < chunkIds.length; at += WRITTEN_AT_ONCE)
    await rowsOf(tx)`
      update chunks set ${validityColumns(validity)}
      where host_id = ${hostId} and id = any (${chunkIds.slice(at, at + WRITTEN_AT_ONCE)}::uuid[])`;
}

/** Nobody reads the passage from this instant on. An import of its document that says nothing of validity leaves it so. */
export function endValidity(scope: HostScope, chunkId: string, at: Date): Promise<void> {
  return setValidity(scope, [chunkId], { until: at });
}
