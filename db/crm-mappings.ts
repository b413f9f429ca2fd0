import { jsonOf, rowsOf } from './rows-of.ts';
import type { HostScope } from './with-hosts.ts';

/** What it says is the business of who reads it. */
export interface StoredMapping<M> {
  readonly version: number;
  readonly mapping: M;
  readonly createdAt: Date;
}

/** The latest version; undefined where the host has agreed on nothing of its own. */
export async function findMapping<M>(
  { tx, hostId }: HostScope,
  kind: string,
): Promise<StoredMapping<M> | undefined> {
  const [found] = await rowsOf<StoredMapping<M>>(tx)`
    select version, mapping, created_at as "createdAt" from crm_mappings
    where host_id = ${hostId} and kind = ${kind} order by version desc limit 1`;
  return found;
}

/** Keeps it as the next version, and gives that. */
export async function setMapping({ tx, hostId }: HostScope, kind: string, mapping: unknown): Promise<number> {
  // Two that set it at once get a version each.
  await rowsOf(tx)`select pg_advisory_xact_lock(hashtextextended(${`mapping ${hostId} ${kind}`}, 0))`;
  const [set] = await rowsOf<{ version: number }>(tx)`
    insert into crm_mappings (host_id, kind, version, mapping)
    select ${hostId}, ${kind}, coalesce(max(version), 0) + 1, ${jsonOf(mapping)}
    from crm_mappings where host_id = ${hostId} and kind = ${kind}
    returning version`;
  if (!set) throw new Error('The mapping was not stored.');
  return set.version;
}
