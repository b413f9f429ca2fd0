import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';
import type { HostsScope } from '../with-hosts.ts';
import type { SearchKey, SearchTable } from './records.ts';

const searchOperations = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type SearchOperation = (typeof searchOperations)[number];

const MAX_INSERTED_AT_ONCE = 250;

/** That a record has changed, told without its host. */
export interface SearchChange {
  readonly originTable: SearchTable;
  readonly originId: string;
  readonly operation: SearchOperation;
}

/** A line of the outbox. */
export interface SearchEvent extends SearchKey {
  readonly seq: string;
  readonly operation: SearchOperation;
  readonly source: 'trigger' | 'http' | 'channel';
  /** Milliseconds since it was written, on the database's clock. */
  readonly ageMs: number;
  readonly attempts: number;
}

/**
 * Takes lines that nobody has in hand, oldest first. What is not taken is looked for by what it is, never by where it
 * stands: lines become visible in another order than their numbers, and a reader that went on from the last number
 * would lose those that come late.
 */
export async function claimEvents(db: Db, most: number): Promise<SearchEvent[]> {
  const claimed = await rowsOf<SearchEvent>(db)`
    update search_outbox outbox set claimed_at = clock_timestamp()
    from (
      select seq from search_outbox
      where claimed_at is null and (not_before is null or not_before <= clock_timestamp())
      order by seq limit ${most} for update skip locked
    ) free
    where outbox.seq = free.seq
    returning outbox.seq, host_id as "hostId", origin_table as "originTable", origin_id as "originId", operation,
      source, attempts, extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as "ageMs"`;
  return claimed.toSorted((a, b) => Number(a.seq) - Number(b.seq));
}

/** What a relay had in hand that is gone is free again. Only for the one relay there is. */
export async function releaseEvents(db: Db): Promise<void> {
  await rowsOf(db)`update search_outbox set claimed_at = null where claimed_at is not null`;
}

/** Puts events back that could not be indexed, to be taken again after a while. */
export async function postponeEvents(db: Db, seqs: readonly string[], afterMs: number): Promise<void> {
  await rowsOf(db)`
    update search_outbox set claimed_at = null, attempts = least(attempts + 1, 1000),
      not_before = clock_timestamp() + ${afterMs} * interval '1 millisecond'
    where seq = any (${seqs}::bigint[])`;
}

/** In the transaction that has brought the index up to them. */
export async function deleteEvents(tx: Db, seqs: readonly string[]): Promise<void> {
  await rowsOf(tx)`delete from search_outbox where seq = any (${seqs}::bigint[])`;
}

/** Those of records that nobody of these hosts knows change nothing, and are dropped as if they had been queued. */
export async function queueEvents(
  { tx, hostIds }: HostsScope,
  changes: readonly SearchChange[],
): Promise<void> {
  await insertKnown(tx, changes, hostIds, 'http');
}

/** What others tell on the channel: they name no host. Works as the owner. */
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

/** Each record is looked for under each host: so many at a time that no statement comes near its limit. */
async function insertKnown(
  db: Db,
  changes: readonly SearchChange[],
  hostIds: readonly string[],
  source: 'http' | 'channel',
): Promise<void> {
  for (let at = 0; at < changes.length; at += MAX_INSERTED_AT_ONCE) {
    await insertFew(db, changes.slice(at, at + MAX_INSERTED_AT_ONCE), hostIds, source);
  }
}

async function insertFew(
  db: Db,
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
    ), known as (
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
    join known using (origin_table, origin_id) order by at`;
}
