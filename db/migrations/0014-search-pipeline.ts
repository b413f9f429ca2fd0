import { belongsToHost } from './belongs-to-host.ts';

export const searchPipeline = `
  -- What has changed and is not in the index yet. Whoever writes a record adds a line here and no more: telling others
  -- of it in the same transaction would cost writers most of their speed.
  create table search_outbox (
    seq bigint generated always as identity primary key,
    host_id uuid not null,
    origin_table text not null check (origin_table in ('conversations', 'leads', 'tickets')),
    origin_id uuid not null,
    operation text not null check (operation in ('INSERT', 'UPDATE', 'DELETE')),
    source text not null default 'trigger' check (source in ('trigger', 'http', 'channel')),
    created_at timestamptz not null default clock_timestamp(),
    -- By the relay that has it in hand; taken off when that relay is gone.
    claimed_at timestamptz,
    -- Of one that could not be indexed.
    attempts smallint not null default 0,
    not_before timestamptz
  ) with (fillfactor = 70);
  ${belongsToHost('search_outbox')}

  create function queue_search_events() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      insert into search_outbox (host_id, origin_table, origin_id, operation)
      select host_id, tg_argv[0], id, 'DELETE' from old_rows;
    else
      insert into search_outbox (host_id, origin_table, origin_id, operation)
      select host_id, tg_argv[0], id, tg_op from new_rows;
    end if;
    return null;
  end $$;

  create function queue_search_events_of_messages() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      insert into search_outbox (host_id, origin_table, origin_id, operation)
      select distinct host_id, 'conversations', conversation_id, 'UPDATE' from old_rows;
    else
      insert into search_outbox (host_id, origin_table, origin_id, operation)
      select distinct host_id, 'conversations', conversation_id, 'UPDATE' from new_rows;
    end if;
    return null;
  end $$;

  -- A record without a name, an e-mail or a phone of its own has its contact's.
  create function queue_search_events_of_contacts() returns trigger language plpgsql as $$
  begin
    insert into search_outbox (host_id, origin_table, origin_id, operation)
    select record.host_id, record.origin_table, record.id, 'UPDATE'
    from new_rows contact
    join old_rows former on former.host_id = contact.host_id and former.id = contact.id
      and (former.name, former.email, former.phone) is distinct from (contact.name, contact.email, contact.phone)
    cross join lateral (
      select 'conversations' as origin_table, host_id, id from conversations
      where host_id = contact.host_id and contact_id = contact.id
      union all select 'leads', host_id, id from leads where host_id = contact.host_id and contact_id = contact.id
      union all select 'tickets', host_id, id from tickets where host_id = contact.host_id and contact_id = contact.id
    ) record;
    return null;
  end $$;

  ${['conversations', 'leads', 'tickets'].map(table => triggersOf(table, `queue_search_events('${table}')`)).join('\n')}
  ${triggersOf('messages', 'queue_search_events_of_messages()')}
  create trigger search_update after update on contacts
    referencing old table as old_rows new table as new_rows
    for each statement execute function queue_search_events_of_contacts();

  -- How the pipeline fares: one line, for whoever asks.
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
`;

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
