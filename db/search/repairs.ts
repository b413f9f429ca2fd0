import { rowsOf } from '../rows-of.ts';
import type { HostsScope } from '../with-hosts.ts';
import type { SearchTable } from './records.ts';

/** The results of the last reconciliation for the hosts of the scope; undefined before the first. */
export interface ReconciledStats {
  readonly source: number;
  readonly unfit: number;
  readonly repaired: number;
  readonly removed: number;
}

export async function readReconciledStats({ tx, hostIds }: HostsScope): Promise<ReconciledStats | undefined> {
  const [stats] = await rowsOf<ReconciledStats & { readonly hosts: number }>(tx)`
    select count(*)::integer as hosts, sum(source)::float8 as source, sum(missing + stale)::float8 as unfit,
      sum(repaired)::float8 as repaired, sum(removed)::float8 as removed
    from search_reconciled where host_id = any (${hostIds}::uuid[])`;
  return stats && stats.hosts > 0 ? stats : undefined;
}

export interface ListedRepair {
  readonly originTable: SearchTable;
  readonly originId: string;
  readonly what: 'missing' | 'stale' | 'orphan' | 'kept';
  readonly at: Date;
}

/** The latest first. */
export async function listRepairs({ tx, hostIds }: HostsScope, limit: number): Promise<ListedRepair[]> {
  return rowsOf<ListedRepair>(tx)`
    select origin_table as "originTable", origin_id as "originId", what, at
    from search_repairs where host_id = any (${hostIds}::uuid[])
    order by at desc, seq limit ${limit}`;
}
