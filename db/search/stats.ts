import { rowsOf, sql } from '../rows-of.ts';
import type { HostsScope } from '../with-hosts.ts';
import type { SearchTable } from './records.ts';

export interface TableStats {
  readonly table: SearchTable;
  readonly source: number;
  readonly indexed: number;
  readonly missing: number;
  readonly orphans: number;
  /** The count at the last reconciliation. */
  readonly stale: number;
}

/** With `since`, counts only records that have changed since then. */
export async function readTableStats(
  { tx, hostIds }: HostsScope,
  since: Date | null = null,
): Promise<TableStats[]> {
  const isTheirs = sql`host_id = any (${hostIds}::uuid[])`;
  return rowsOf<TableStats>(tx)`
    with source as (
      select 'conversations' as origin_table, host_id, id as origin_id, updated_at from conversations where ${isTheirs}
      union all select 'leads', host_id, id, updated_at from leads where ${isTheirs}
      union all select 'tickets', host_id, id, updated_at from tickets where ${isTheirs}
    ), table_count as (
      select coalesce(source.origin_table, record.origin_table) as origin_table,
        count(source.origin_id) filter (where is_recent) as source, count(record.origin_id) as indexed,
        count(*) filter (where record.origin_id is null and is_recent) as missing,
        count(*) filter (where source.origin_id is null) as orphans
      from source
      full join (select origin_table, host_id, origin_id from search_records where ${isTheirs}) record
        on record.host_id = source.host_id and record.origin_table = source.origin_table
          and record.origin_id = source.origin_id
      cross join lateral (
        select coalesce(source.updated_at >= ${since}::timestamptz, true) as is_recent
      ) recency
      group by 1
    )
    select search_table.origin_table as "table", coalesce(source, 0)::float8 as source,
      coalesce(indexed, 0)::float8 as indexed, coalesce(missing, 0)::float8 as missing,
      coalesce(orphans, 0)::float8 as orphans,
      coalesce((select sum(stale) from search_reconciled reconciliation
        where ${isTheirs} and reconciliation.origin_table = search_table.origin_table), 0)::float8 as stale
    from (values ('conversations'), ('leads'), ('tickets')) search_table (origin_table)
    left join table_count using (origin_table)`;
}

/** Results of the last reconciliation for the hosts of the scope; undefined before the first. */
interface ReconciledStats {
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

interface ListedRepair {
  readonly origin_table: SearchTable;
  readonly origin_id: string;
  readonly what: 'missing' | 'stale' | 'orphan' | 'kept';
  readonly at: string;
}

/** Lists the latest first. */
export async function listRepairs({ tx, hostIds }: HostsScope, limit: number): Promise<ListedRepair[]> {
  return rowsOf<ListedRepair>(tx)`
    select origin_table, origin_id, what, at at time zone 'UTC' as at
    from search_repairs where host_id = any (${hostIds}::uuid[])
    order by search_repairs.at desc, seq limit ${limit}`;
}
