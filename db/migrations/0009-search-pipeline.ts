import { declareTriggerFunctions } from './declare-trigger-functions.ts';

const outbox = `
  -- Changes that are not indexed yet. Who writes a record adds a line here and no more: a notification in the same
  -- transaction would cost writers most of their speed.
  create table search_outbox (
    seq bigint generated always as identity primary key,
    host_id uuid not null,
    origin_table text not null check (origin_table in ('conversations', 'leads', 'tickets')),
    origin_id uuid not null,
    operation text not null check (operation in ('INSERT', 'UPDATE', 'DELETE')),
    source text not null default 'trigger' check (source in ('trigger', 'http', 'channel')),
    created_at timestamptz not null default clock_timestamp(),
    -- By an indexer; removed when that indexer is gone.
    claimed_at timestamptz,
    -- If indexing failed.
    attempts smallint not null default 0,
    not_before timestamptz
  ) with (fillfactor = 70);
  create index search_outbox_records on search_outbox (host_id, origin_table, origin_id);
  create index search_outbox_free on search_outbox (host_id, seq) where claimed_at is null;

  ${declareTriggerFunctions('queue_search_events', 'queue_search_events_of_messages', 'queue_search_events_of_contacts')}
  ${['conversations', 'leads', 'tickets'].map(table => triggersOf(table, `queue_search_events('${table}')`)).join('\n  ')}
  ${triggersOf('messages', 'queue_search_events_of_messages()')}
  create trigger search_update after update on contacts
    referencing old table as old_rows new table as new_rows
    for each statement execute function queue_search_events_of_contacts();
`;

const upkeep = `
  -- The state of the pipeline: one row.
  create table search_pipeline (
    is_only boolean primary key default true check (is_only),
    processed bigint not null default 0,
    failed bigint not null default 0,
    last_flush_at timestamptz,
    last_event_at timestamptz,
    reconnects bigint not null default 0,
    flush_ms integer not null default 1000,
    reconciled_at timestamptz,
    reconcile_ms integer,
    next_reconcile_at timestamptz
  );
  insert into search_pipeline default values;

  -- Runs over all records of some hosts, a row for each host: an interrupted run continues with the next host.
  create table search_reindexes (
    host_id uuid not null references hosts on delete cascade,
    id text not null,
    tables text[] not null,
    mode text not null check (mode in ('missing', 'full')),
    since timestamptz,
    batch_size integer not null,
    confirm_orphans boolean not null,
    indexed bigint not null default 0,
    removed bigint not null default 0,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    primary key (host_id, id)
  );
  create unique index search_reindexes_running on search_reindexes (host_id) where finished_at is null;

  -- What the last reconciliation found, by host and table, and every record that it repaired.
  create table search_reconciled (
    host_id uuid not null references hosts on delete cascade,
    origin_table text not null,
    source bigint not null,
    indexed bigint not null,
    missing bigint not null,
    stale bigint not null,
    orphans bigint not null,
    repaired bigint not null,
    removed bigint not null,
    at timestamptz not null default now(),
    primary key (host_id, origin_table)
  );

  create table search_repairs (
    host_id uuid not null references hosts on delete cascade,
    seq bigint generated always as identity,
    origin_table text not null,
    origin_id uuid not null,
    what text not null check (what in ('missing', 'stale', 'orphan', 'kept')),
    at timestamptz not null default now(),
    primary key (host_id, seq)
  );
  create index on search_repairs (at);
`;

export const searchPipeline = `${outbox}${upkeep}`;

function triggersOf(table: string, call: string): string {
  const trigger = (event: string, rows: string) =>
    `create trigger search_${event} after ${event} on ${table} referencing ${rows}
       for each statement execute function ${call};`;
  return [
    trigger('insert', 'new table as new_rows'),
    trigger('update', 'new table as new_rows'),
    trigger('delete', 'old table as old_rows'),
  ].join('\n');
}
