import type { Knex } from 'knex';
import type { Db } from '../connection.ts';
import type { Runner } from '../host-transaction.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';

export const searchTables = ['conversations', 'leads', 'tickets'] as const;
export type SearchTable = (typeof searchTables)[number];

export interface SearchKey {
  readonly hostId: string;
  readonly originTable: SearchTable;
  readonly originId: string;
}

/** The searchable fields of each table. */
export const sourceOf: Readonly<Record<SearchTable, Fragment>> = {
  conversations: sql`conversations_to_search`,
  leads: sql`leads_to_search`,
  tickets: sql`tickets_to_search`,
};

export interface IndexOptions {
  /** Writes unchanged records too, after a change of the indexing itself. */
  readonly force?: boolean;
  /** Statement timeout, instead of the default of the connection. */
  readonly withinMs?: number;
  /** Runs in the same transaction. */
  readonly also?: (tx: Knex.Transaction) => Promise<unknown>;
}

/**
 * Writes the current state of these records to the index, whatever their events said. So events may be duplicated,
 * late and in any order. Works as the owner; `also` runs in the same transaction.
 */
export async function indexRecords(
  db: Db,
  keys: readonly SearchKey[],
  { force = false, withinMs, also }: IndexOptions = {},
): Promise<void> {
  await db.transaction(async tx => {
    if (withinMs !== undefined)
      await rowsOf(tx)`select set_config('statement_timeout', ${String(withinMs)}, true)`;
    await lockRecords(tx, keys);
    for (const table of searchTables) {
      const own = keys.filter(key => key.originTable === table);
      if (own.length > 0) await indexTable(tx, table, own, force);
    }
    await also?.(tx);
  });
}

/** Locks that records share: one for each of a person's 24,000 records filled PostgreSQL's table of some 6,400 for everybody. */
const LOCKS_OF_HOST = 1_024;

/**
 * Serializes indexing of a record: the second reads it only under the lock, so an older state never replaces a newer
 * one. Several records of a host share a lock. Locks are taken in one order to prevent deadlocks.
 */
export async function lockRecords(tx: Runner, keys: readonly SearchKey[]): Promise<void> {
  const hosts = keys.map(key => key.hostId);
  const ids = keys.map(key => key.originId);
  await rowsOf(tx)`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended('search ' || host_id, hashtextextended(id::text, 0) & ${LOCKS_OF_HOST - 1}) as key
      from unnest(${hosts}::uuid[], ${ids}::uuid[]) record (host_id, id) order by 1
    ) keys`;
}

async function indexTable(
  tx: Knex.Transaction,
  table: SearchTable,
  keys: readonly SearchKey[],
  force: boolean,
): Promise<void> {
  const hosts = keys.map(key => key.hostId);
  const ids = keys.map(key => key.originId);
  await rowsOf(tx)`
    with wanted_record as (
      select distinct * from unnest(${hosts}::uuid[], ${ids}::uuid[]) as wanted_record (host_id, origin_id)
    ), source_record as materialized (
      select source.*, search_text(source.original) as content,
        search_vector(search_text(source.original)) as vector
      from wanted_record join ${sourceOf[table]} source using (host_id, origin_id)
    ), removed_record as (
      delete from search_records record using wanted_record
      where record.host_id = wanted_record.host_id and record.origin_table = ${table}
        and record.origin_id = wanted_record.origin_id
        and not exists (
          select from source_record
          where source_record.host_id = wanted_record.host_id and source_record.origin_id = wanted_record.origin_id)
    )
    insert into search_records as record (host_id, origin_table, origin_id, title, original, content, vector, phone,
      phone_key, updated_at, hash)
    select host_id, ${table}, origin_id, left(title, 200), original, content, vector, search_phone(phone_given),
      case when search_phone(phone_given) is not null then phone_key(phone_given) end, updated_at, hash
    from source_record
    order by host_id, origin_id
    on conflict (host_id, origin_table, origin_id) do update
      set title = excluded.title, original = excluded.original, content = excluded.content,
        vector = excluded.vector, phone = excluded.phone, phone_key = excluded.phone_key,
        updated_at = excluded.updated_at, hash = excluded.hash, indexed_at = now()
      where ${force} or record.hash is distinct from excluded.hash`;
}
