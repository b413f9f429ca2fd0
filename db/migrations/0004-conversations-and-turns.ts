import { belongsToHost } from './belongs-to-host.ts';

export const conversationsAndTurns = `
  create table contacts (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    name text not null default '',
    email text check (email <> ''),
    phone text check (phone <> ''),
    cpf text check (cpf <> ''),
    external_id text check (external_id <> ''),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    email_folded text generated always as (lower(btrim(email))) stored,
    phone_digits text generated always as (nullif(regexp_replace(phone, '[^0-9]', '', 'g'), '')) stored,
    primary key (host_id, id),
    unique (host_id, email_folded)
  );
  -- Families share phones: only where there is no e-mail does a phone alone tell who somebody is.
  create unique index on contacts (host_id, phone_digits) where email_folded is null;
  create index on contacts (host_id, phone_digits);
  ${belongsToHost('contacts')}

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
    -- A person of the host has written since help was asked for.
    attended boolean not null default false check (ask_human_help or not attended),
    last_message_at timestamptz,
    -- What was said before is no longer context.
    reopened_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    foreign key (host_id, contact_id) references contacts on delete set null (contact_id)
  );
  create index on conversations (host_id, contact_id) where contact_id is not null;
  ${belongsToHost('conversations')}

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
    primary key (host_id, id),
    foreign key (host_id, conversation_id) references conversations on delete cascade,
    check ((finished_at is not null) = (state in ('answered', 'unanswered')))
  );
  create index on turns (host_id, conversation_id, state);
  ${belongsToHost('turns')}

  create table messages (
    seq bigint generated always as identity primary key,
    host_id uuid not null references hosts on delete cascade,
    conversation_id uuid not null,
    turn_id text,
    author text not null check (author in ('user', 'assistant', 'human', 'system')),
    content text not null,
    name text,
    -- Not the transaction's time: a writer may have waited for the one before.
    created_at timestamptz not null default clock_timestamp(),
    foreign key (host_id, conversation_id) references conversations on delete cascade,
    foreign key (host_id, turn_id) references turns on delete set null (turn_id),
    unique (host_id, turn_id, author)
  );
  create index on messages (host_id, conversation_id, seq);
  ${belongsToHost('messages')}
`;
