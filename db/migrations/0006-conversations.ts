import { declareTriggerFunctions } from './declare-trigger-functions.ts';

export const conversations = `
  create table conversations (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    contact_id uuid,
    lead_id uuid,
    platform text not null default 'api',
    global_data jsonb not null default '{}' check (jsonb_typeof(global_data) = 'object'),
    user_name text not null default '',
    wpp_id text not null default '',
    external_id text not null default '',
    archived boolean not null default false,
    closed boolean not null default false,
    ask_human_help boolean not null default false,
    -- A staff member has written since help was requested.
    attended boolean not null default false check (ask_human_help or not attended),
    last_message_at timestamptz,
    -- Earlier messages are no longer context.
    reopened_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    -- The insight; written after turns, never while a caller waits.
    dialogue_summary text not null default '',
    main_topic text not null default '',
    tip text not null default '',
    heat_score double precision not null default 0 check (heat_score between 0 and 100),
    heat_score_description text not null default '',
    sentiment_score double precision not null default 0 check (sentiment_score between -1 and 1),
    sentiment_score_explanation text not null default '',
    categories text[] not null default '{}',
    insight_by text not null default 'none' check (insight_by in ('none', 'rules', 'model')),
    -- The last message that a model has read for it.
    insight_seq bigint not null default 0,
    -- What the model adds to the heat score of the rules.
    heat_adjustment double precision not null default 0 check (heat_adjustment between -20 and 20),
    -- What callers send about the end user, kept from turn to turn.
    user_data jsonb not null default '{}',
    primary key (host_id, id),
    foreign key (host_id, contact_id) references contacts on delete set null (contact_id),
    foreign key (host_id, lead_id) references leads on delete set null (lead_id)
  );
  create index on conversations (host_id, contact_id) where contact_id is not null;
  create index on conversations (host_id, lead_id) where lead_id is not null;
  -- Indexes of retention: a row leaves its index when it is emptied.
  create index conversations_to_empty on conversations ((coalesce(last_message_at, created_at)))
    where (dialogue_summary, main_topic, tip, heat_score_description, sentiment_score_explanation, user_name, wpp_id,
      global_data, user_data) <> ('', '', '', '', '', '', '', '{}'::jsonb, '{}'::jsonb);

  create table turns (
    host_id uuid not null references hosts on delete cascade,
    id text not null check (id <> ''),
    conversation_id uuid not null,
    state text not null check (state in ('waiting', 'running', 'answered', 'unanswered')),
    attempt integer not null default 0,
    arrived_at timestamptz not null,
    deadline timestamptz not null,
    lease_until timestamptz not null,
    question text,
    tokens jsonb not null default '[]',
    receipt jsonb,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    -- A turn that tries the assistant out: reports do not count its messages.
    rehearsal boolean not null default false,
    primary key (host_id, id),
    foreign key (host_id, conversation_id) references conversations on delete cascade,
    check ((finished_at is not null) = (state in ('answered', 'unanswered')))
  );
  create index on turns (host_id, conversation_id, state);
  create index turns_to_empty on turns (finished_at) where receipt is not null or question is not null;

  -- No answer is stored after the deadline of its turn, however long the transaction waited: checked when it commits,
  -- because the caller was already told that there is no answer.
  ${declareTriggerFunctions('reject_late_answer')}
  create constraint trigger answered_in_time after update of state on turns
    deferrable initially deferred
    for each row when (new.state = 'answered' and old.state <> 'answered')
    execute function reject_late_answer();

  create table messages (
    seq bigint generated always as identity primary key,
    host_id uuid not null references hosts on delete cascade,
    conversation_id uuid not null,
    turn_id text,
    author text not null check (author in ('user', 'assistant', 'human', 'system')),
    content text not null,
    name text,
    -- Not the time of the transaction, which may have waited for an earlier writer.
    created_at timestamptz not null default clock_timestamp(),
    -- The first message after a closed conversation was reopened: earlier ones are no longer context.
    reopens boolean not null default false,
    -- A service is a conversation from its first message of the end user, and again from each that reopens it.
    opens_service boolean not null default false,
    rehearsal boolean not null default false,
    foreign key (host_id, conversation_id) references conversations on delete cascade,
    foreign key (host_id, turn_id) references turns on delete set null (turn_id),
    unique (host_id, turn_id, author)
  );
  create index on messages (host_id, conversation_id, seq);
  create index on messages (host_id, created_at) include (author, opens_service) where not rehearsal;
  create index on messages (host_id, conversation_id) where opens_service;
  create index messages_to_empty on messages (created_at) where content <> '';

  -- Steps of flows that happen once in a conversation. No reference to the flow, because it may be deleted.
  create table flow_steps_done (
    host_id uuid not null references hosts on delete cascade,
    conversation_id uuid not null,
    flow_id uuid not null,
    step_key text not null check (step_key <> ''),
    turn_id text not null,
    created_at timestamptz not null default now(),
    primary key (host_id, conversation_id, flow_id, step_key),
    foreign key (host_id, conversation_id) references conversations on delete cascade
  );

  -- Conversations that were answered since their last insight. A table of its own, because a claim must not write to the
  -- conversation: the search index and cached replies follow each write.
  create table insights_due (
    host_id uuid not null references hosts on delete cascade,
    conversation_id uuid not null,
    due_at timestamptz not null,
    -- The claim, and the end of its lease.
    run_id uuid,
    lease_until timestamptz,
    -- Another turn was answered since it was claimed.
    again boolean not null default false,
    tries smallint not null default 0,
    primary key (host_id, conversation_id),
    foreign key (host_id, conversation_id) references conversations on delete cascade
  );
  create index on insights_due (due_at);
`;
