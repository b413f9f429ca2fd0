import { declareTriggerFunctions } from './declare-trigger-functions.ts';

/*
 * Reports are read from daily counts. Each message and each service adds a delta in its own transaction, so that nobody
 * waits for a counter. Deltas are added to the counts of their local day later; a report adds those that are left, so that
 * it is always right.
 */
export const reports = `
  -- Rows are inserted and deleted, never updated.
  create table report_deltas (
    host_id uuid not null references hosts on delete cascade,
    id bigint generated always as identity,
    at timestamptz not null,
    -- The author of a message, or the start of a service.
    kind text not null check (kind in ('user', 'assistant', 'human', 'service')),
    -- For services only.
    platform text not null,
    amount integer not null,
    primary key (host_id, id)
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

  -- By the local days of the host.
  create table report_days (
    host_id uuid not null references hosts on delete cascade,
    day date not null,
    kind text not null check (kind in ('user', 'assistant', 'human', 'service')),
    platform text not null,
    total bigint not null,
    after_hours bigint not null,
    primary key (host_id, day, kind, platform) include (total, after_hours)
  );

  ${declareTriggerFunctions('set_opens_service', 'add_message_deltas', 'move_services')}
  create trigger mark_service before insert on messages
    for each row when (new.author = 'user' and not new.rehearsal) execute function set_opens_service();
  create trigger note_messages after insert on messages referencing new table as added
    for each statement execute function add_message_deltas();
  create trigger move_services after update of platform on conversations
    for each row when (old.platform <> new.platform) execute function move_services();
`;
