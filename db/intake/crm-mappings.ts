import { type Fragment, jsonOf, rowOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** This folder does not read the mapping. */
export interface StoredMapping {
  readonly version: number;
  readonly mapping: unknown;
  readonly createdAt: Date;
}

/** Of the latest version; one without a mapping says that the host has none of its own any more. */
const isAgreed = sql`latest_mapping.mapping <> 'null'`;

/** Returns the latest version; undefined if the host has no mapping of its own. */
export async function findMapping(
  { tx, hostId }: HostScope,
  kind: string,
): Promise<StoredMapping | undefined> {
  return rowOf<StoredMapping>(tx)`
    select version, mapping, created_at as "createdAt" from (
      select * from crm_mappings where host_id = ${hostId} and kind = ${kind} order by version desc limit 1
    ) latest_mapping where ${isAgreed}`;
}

/** Returns the same as a subquery: {version, mapping}, or null. */
export function selectLatestMapping({ hostId }: HostScope, kind: Fragment): Fragment {
  return sql`(select jsonb_build_object('version', version, 'mapping', mapping) from (
      select * from crm_mappings stored_mapping
      where stored_mapping.host_id = ${hostId} and stored_mapping.kind = ${kind} order by version desc limit 1
    ) latest_mapping where ${isAgreed})`;
}

/** Stores the mapping, or null for none, as the next version, which it returns. */
export async function setMapping({ tx, hostId }: HostScope, kind: string, mapping: unknown): Promise<number> {
  // The lock gives concurrent calls different versions.
  await rowsOf(tx)`select pg_advisory_xact_lock(hashtextextended(${`mapping ${hostId} ${kind}`}, 0))`;
  const [set] = await rowsOf<{ version: number }>(tx)`
    insert into crm_mappings (host_id, kind, version, mapping)
    select ${hostId}, ${kind}, coalesce(max(version), 0) + 1, ${jsonOf(mapping)}
    from crm_mappings where host_id = ${hostId} and kind = ${kind}
    returning version`;
  if (!set) throw new Error('The mapping was not stored.');
  return set.version;
}
