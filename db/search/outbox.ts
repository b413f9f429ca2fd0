import type { Db } from '../connection.ts';
import type { Runner } from '../host-transaction.ts';
import { rowsOf } from '../rows-of.ts';
import type { HostsScope } from '../with-hosts.ts';
import type { SearchKey, SearchTable } from './records.ts';

export const searchOperations = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type SearchOperation = (typeof searchOperations)[number];

const INSERT_BATCH_SIZE = 250;

/** A change of a record, without its host. */
export interface SearchChange {
  readonly originTable: SearchTable;
  readonly originId: string;
  readonly operation: SearchOperation;
}

export interface SearchEvent extends SearchKey {
  readonly seq: string;
  readonly operation: SearchOperation;
  readonly source: 'trigger' | 'http' | 'channel';
  /** Age in milliseconds, on the database's clock. */
  readonly ageMs: number;
  readonly attempts: number;
}

/**
 * Claims free lines: the oldest of each host, then the next of each, so that a host with many delays no other. Lines are
 * selected by their state, not by a cursor: transactions commit in another order than their numbers, and a cursor would
 * skip late ones.
 */
export async function claimEvents(db: Db, most: number): Promise<SearchEvent[]> {
  const claimed = await rowsOf<SearchEvent>(db)`
    with recursive waiting_host (host_id) as (
      (select host_id from search_outbox where claimed_at is null order by host_id limit 1)
      union all
      select (
        select next_line.host_id from search_outbox next_line
        where next_line.claimed_at is null and next_line.host_id > waiting_host.host_id
        order by next_line.host_id limit 1
      ) from waiting_host where waiting_host.host_id is not null
    ), free_line as materialized (
      select oldest_line.seq from waiting_host cross join lateral (
        select seq, row_number() over (order by seq) as place from (
          select seq from search_outbox outbox
          where outbox.host_id = waiting_host.host_id and claimed_at is null
            and (not_before is null or not_before <= clock_timestamp())
          order by seq limit ${most}
        ) free_line_of_host
      ) oldest_line
      order by oldest_line.place, oldest_line.seq limit ${most}
    ), locked_line as materialized (
      select seq from search_outbox
      where seq = any (array(select seq from free_line)) and claimed_at is null for update skip locked
    )
    update search_outbox outbox set claimed_at = clock_timestamp()
    from locked_line where outbox.seq = locked_line.seq
    returning outbox.seq, host_id as "hostId", origin_table as "originTable", origin_id as "originId", operation,
      source, attempts, extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as "ageMs"`;
  return claimed.toSorted((a, b) => Number(a.seq) - Number(b.seq));
}

/**
 * Releases the claims of an earlier relay. Only for the leader. Each line gets another number: a relay that lives on may have
 * read its record before a change that now waits in this line, and would delete it.
 */
export async function releaseEvents(db: Db): Promise<void> {
  await rowsOf(db)`update search_outbox set claimed_at = null, seq = default where claimed_at is not null`;
}

/** Releases events that failed, for a retry after a delay. */
export async function postponeEvents(db: Db, seqs: readonly string[], afterMs: number): Promise<void> {
  await rowsOf(db)`
    update search_outbox set claimed_at = null, attempts = least(attempts + 1, 1000),
      not_before = clock_timestamp() + ${afterMs} * interval '1 millisecond'
    where seq = any (${seqs}::bigint[])`;
}

/** Must be called in the transaction that indexes the records. */
export async function deleteOutboxLines(tx: Db, seqs: readonly string[]): Promise<void> {
  await rowsOf(tx)`delete from search_outbox where seq = any (${seqs}::bigint[])`;
}

/** Drops events of records that none of these hosts has, without an error. */
export async function queueEvents(
  { tx, hostIds }: HostsScope,
  changes: readonly SearchChange[],
): Promise<void> {
  await insertKnown(tx, changes, hostIds, 'http');
}

/** Queues events from the channel, which name no host. Works as the owner. */
export async function queueChannelEvents(db: Db, changes: readonly SearchChange[]): Promise<void> {
  if (changes.length === 0) return;
  const hosts = await rowsOf<{ id: string }>(db)`select id from hosts`;
  await insertKnown(
    db,
    changes,
    hosts.map(({ id }) => id),
    'channel',
  );
}

/** Looks each record up under each host, in batches that stay below the statement timeout. */
async function insertKnown(
  db: Runner,
  changes: readonly SearchChange[],
  hostIds: readonly string[],
  source: 'http' | 'channel',
): Promise<void> {
  for (let at = 0; at < changes.length; at += INSERT_BATCH_SIZE) {
    await insertFew(db, changes.slice(at, at + INSERT_BATCH_SIZE), hostIds, source);
  }
}

async function insertFew(
  db: Runner,
  changes: readonly SearchChange[],
  hostIds: readonly string[],
  source: 'http' | 'channel',
): Promise<void> {
  const tables = changes.map(change => change.originTable);
  const ids = changes.map(change => change.originId);
  const operations = changes.map(change => change.operation);
  await rowsOf(db)`
    with event as (
      select * from unnest(${tables}::text[], ${ids}::uuid[], ${operations}::text[])
        with ordinality as event (origin_table, origin_id, operation, at)
    ), known_record as (
      select 'conversations' as origin_table, host_id, id as origin_id from conversations
        where host_id = any (${hostIds}::uuid[])
          and id = any (array(select origin_id from event where origin_table = 'conversations'))
      union select 'leads', host_id, id from leads
        where host_id = any (${hostIds}::uuid[])
          and id = any (array(select origin_id from event where origin_table = 'leads'))
      union select 'tickets', host_id, id from tickets
        where host_id = any (${hostIds}::uuid[])
          and id = any (array(select origin_id from event where origin_table = 'tickets'))
      union select origin_table, host_id, origin_id from search_records
        where host_id = any (${hostIds}::uuid[]) and origin_table = any (${tables}::text[])
          and origin_id = any (array(select origin_id from event))
    )
    insert into search_outbox (host_id, origin_table, origin_id, operation, source)
    select host_id, origin_table, origin_id, operation, ${source} from event
    join known_record using (origin_table, origin_id) order by at`;
}
