import { declareTriggerFunctions } from './declare-trigger-functions.ts';

/*
 * Gaps are questions that found no answer, grouped by likeness in the background. Outcomes say how each service of a
 * conversation ended. Both reports read rows that are counted in advance, by month and by day of UTC, which depend on no
 * setting of the host; the parts of months and days at the ends of a period are counted from the rows themselves.
 */
export const gapsAndOutcomes = `
  create table gaps (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    -- Of its oldest question: new questions are compared with them.
    words text[] not null,
    last_asked_at timestamptz not null,
    primary key (host_id, id)
  );
  create index on gaps (host_id, last_asked_at);

  create table gap_questions (
    host_id uuid not null references hosts on delete cascade,
    -- Of the question; its text is that of the message.
    message_seq bigint not null,
    conversation_id uuid not null,
    reason text not null check (reason in ('not_found', 'handover', 'withheld', 'human')),
    asked_at timestamptz not null,
    -- The first message of a staff member after it.
    answered_seq bigint,
    -- Null until it is grouped.
    gap_id uuid,
    words text[] not null default '{}',
    primary key (host_id, message_seq),
    foreign key (host_id, conversation_id) references conversations on delete cascade
  );
  create index on gap_questions (host_id, conversation_id);
  create index gap_questions_to_group on gap_questions (host_id, message_seq) where gap_id is null;
  create index gap_questions_asked on gap_questions (host_id, asked_at) include (gap_id) where gap_id is not null;
  create index gap_questions_of_gap on gap_questions (host_id, gap_id, asked_at, message_seq)
    include (conversation_id);
  create index gap_questions_answered on gap_questions (host_id, gap_id, asked_at) where answered_seq is not null;
  create index gap_questions_to_delete on gap_questions (asked_at);

  create table gap_months (
    host_id uuid not null references hosts on delete cascade,
    month date not null,
    gap_id uuid not null,
    times bigint not null,
    primary key (host_id, month, gap_id) include (times)
  );

  ${declareTriggerFunctions('forget_gap_questions', 'note_service_change', 'note_service_messages', 'forget_services')}
  create trigger forget_gap_questions after delete on gap_questions referencing old table as gone
    for each statement execute function forget_gap_questions();

  -- One row for each service of a conversation, as the reports count them.
  create table services (
    host_id uuid not null references hosts on delete cascade,
    conversation_id uuid not null,
    opened_at timestamptz not null,
    last_at timestamptz not null,
    -- A service that nobody has closed has it only after a day without a message.
    outcome text not null check (outcome in ('assistant', 'human', 'abandoned', 'reopened')),
    ended boolean not null,
    asked_help boolean not null,
    primary key (host_id, conversation_id, opened_at),
    foreign key (host_id, conversation_id) references conversations on delete cascade
  );
  create index services_of_outcome on services (host_id, outcome, opened_at, conversation_id);
  create index services_not_ended on services (host_id, last_at) include (outcome, opened_at) where not ended;

  create table service_days (
    host_id uuid not null references hosts on delete cascade,
    day date not null,
    outcome text not null,
    total bigint not null,
    primary key (host_id, day, outcome) include (total)
  );

  -- Conversations whose services are to be counted anew. Rows are inserted and deleted, never updated.
  create table service_changes (
    host_id uuid not null references hosts on delete cascade,
    id bigint generated always as identity,
    conversation_id uuid not null,
    primary key (host_id, id),
    foreign key (host_id, conversation_id) references conversations on delete cascade
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  create index on service_changes (host_id, conversation_id);

  create trigger note_service_messages after insert on messages referencing new table as added
    for each statement execute function note_service_messages();
  create trigger forget_services after delete on services referencing old table as gone
    for each statement execute function forget_services();
  insert into service_changes (host_id, conversation_id) select host_id, id from conversations;

  -- At the end, because from here on nobody reads conversations until it is committed.
  alter table conversations add column help_asked_at timestamptz;
  create trigger note_service_change before update on conversations
    for each row when ((old.closed, old.ask_human_help) is distinct from (new.closed, new.ask_human_help))
    execute function note_service_change();
`;
