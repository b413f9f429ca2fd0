/** Calls of REST tools that change something: they wait for the yes of the person, and are made once. */
export const toolConfirmations = `
  create table tool_confirmations (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    conversation_id uuid not null,
    -- A digest of the function, as it was saved, and of the arguments.
    key text not null,
    -- The name of the call, for people.
    name text not null,
    -- Canonical JSON, with the identifiers that are masked elsewhere.
    arguments text not null,
    state text not null default 'waiting' check (state in ('waiting', 'called', 'answered')),
    asked_turn text not null,
    asked_at timestamptz not null default clock_timestamp(),
    called_turn text,
    called_at timestamptz,
    answer jsonb,
    primary key (host_id, id),
    foreign key (host_id, conversation_id) references conversations on delete cascade,
    check ((state = 'waiting') = (called_turn is null)),
    check ((state = 'waiting') = (called_at is null)),
    check ((state = 'answered') = (answer is not null))
  );
  create index on tool_confirmations (host_id, conversation_id);
  create index on tool_confirmations (asked_at);
`;
