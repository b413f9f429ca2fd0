import { NIL_UUID } from '../../platform/uuid.ts';
import type { Db } from '../connection.ts';
import { rowsOf, sql } from '../rows-of.ts';
import { type SearchTable, sourceOf } from './records.ts';
import type { TableStats } from './stats.ts';

const ownTableOf = { conversations: sql`conversations`, leads: sql`leads`, tickets: sql`tickets` } as const;

/** Records that a reconciliation compares at once, unless its order says otherwise. */
export const RECONCILE_PAGE_SIZE = 500;

export interface ComparedRecord {
  readonly originId: string;
  readonly state: 'same' | 'missing' | 'stale' | 'orphan';
  /** Set if an event is pending: the pipeline will index the record. */
  readonly isPending: boolean;
  /** False if the record has not changed since `since`. */
  readonly isRecent: boolean;
}

export interface ComparedPage {
  readonly hostId: string;
  readonly table: SearchTable;
  /** Records after this id; null for the first page. */
  readonly after: string | null;
  readonly size: number;
  readonly since?: Date | null;
}

/** Compares the next records of a host by id, of the table and the index together. Works as the owner. */
export async function comparePage(db: Db, page: ComparedPage): Promise<ComparedRecord[]> {
  const { hostId, table, after, size, since = null } = page;
  const start = after ?? NIL_UUID;
  return rowsOf<ComparedRecord>(db)`
    with keys as (
      (select id from ${ownTableOf[table]} where host_id = ${hostId} and id > ${start} order by id limit ${size})
      union
      (select origin_id from search_records
        where host_id = ${hostId} and origin_table = ${table} and origin_id > ${start}
        order by origin_id limit ${size})
      order by 1 limit ${size}
    )
    select keys.id as "originId",
      case when source.hash is null then 'orphan' when record.hash is null then 'missing'
        when source.hash <> record.hash then 'stale' else 'same' end as state,
      exists (
        select from search_outbox event
        where event.host_id = ${hostId} and event.origin_table = ${table} and event.origin_id = keys.id
      ) as "isPending",
      coalesce(source.updated_at >= ${since}::timestamptz, true) as "isRecent"
    from keys
    -- The limits keep these look-ups of each, whatever the planner believes: a text is made for what is compared only.
    left join lateral (
      select hash, updated_at from ${sourceOf[table]} own_record
      where own_record.host_id = ${hostId} and own_record.origin_id = keys.id limit 1
    ) source on true
    left join lateral (
      select hash from search_records indexed_record
      where indexed_record.host_id = ${hostId} and indexed_record.origin_table = ${table}
        and indexed_record.origin_id = keys.id limit 1
    ) record on true
    order by keys.id`;
}

export interface ReconciliationCounts extends TableStats {
  readonly hostId: string;
  readonly repaired: number;
  readonly removed: number;
}

export interface Repair {
  readonly hostId: string;
  readonly table: SearchTable;
  readonly originId: string;
  readonly what: 'missing' | 'stale' | 'orphan' | 'kept';
}

/** Repairs, and orders of ended reindexes, are kept this long. */
const KEPT_DAYS = 7;

/** Replaces the results of the previous reconciliation, and forgets old ones. A host deleted meanwhile is left out. */
export async function storeReconciliation(
  db: Db,
  found: readonly ReconciliationCounts[],
  repairs: readonly Repair[],
): Promise<void> {
  await db.transaction(async tx => {
    await rowsOf(tx)`delete from search_reconciled`;
    await rowsOf(tx)`delete from search_repairs where at < now() - ${KEPT_DAYS} * interval '1 day'`;
    await rowsOf(
      tx,
    )`delete from search_reindexes where finished_at < now() - ${KEPT_DAYS} * interval '1 day'`;
    await rowsOf(tx)`
      insert into search_reconciled
        (host_id, origin_table, source, indexed, missing, stale, orphans, repaired, removed)
      select "hostId", "table", source, indexed, missing, stale, orphans, repaired, removed
      from json_to_recordset(${JSON.stringify(found)}::json) as found ("hostId" uuid, "table" text, source bigint,
        indexed bigint, missing bigint, stale bigint, orphans bigint, repaired bigint, removed bigint)
      where exists (select from hosts where id = "hostId")`;
    await rowsOf(tx)`
      insert into search_repairs (host_id, origin_table, origin_id, what)
      select "hostId", "table", "originId", what
      from json_to_recordset(${JSON.stringify(repairs)}::json)
        as repair ("hostId" uuid, "table" text, "originId" uuid, what text)
      where exists (select from hosts where id = "hostId")`;
  });
}
