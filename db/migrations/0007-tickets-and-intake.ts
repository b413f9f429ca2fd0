export const ticketsAndIntake = `
  create table tickets (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    kind text not null check (kind in ('tickets', 'objects', 'assistant')),
    -- Missing if the assistant opened it in a conversation.
    external_id text check (external_id <> ''),
    contact_id uuid,
    conversation_id uuid,
    subject text not null default '',
    content text not null default '',
    firstname text not null default '',
    lastname text not null default '',
    email text not null default '',
    mobilephone text not null default '',
    phone_e164 text not null default '',
    stage text not null default '',
    -- {"campus_<institution>": text}
    campus jsonb not null default '{}' check (jsonb_typeof(campus) = 'object'),
    inter_data jsonb not null default '[]' check (jsonb_typeof(inter_data) = 'array'),
    warnings jsonb not null default '[]',
    -- When the record was created according to the CRM, otherwise its arrival.
    opened_at timestamptz not null default now(),
    -- When its stage first was one that the mapping calls solved.
    solved_at timestamptz,
    digest text not null default '',
    arrived_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, kind, external_id),
    check ((external_id is null) = (kind = 'assistant')),
    foreign key (host_id, contact_id) references contacts on delete set null (contact_id),
    foreign key (host_id, conversation_id) references conversations on delete set null (conversation_id)
  );
  create index on tickets (host_id, contact_id);
  create index on tickets (host_id, conversation_id) where conversation_id is not null;
  create index on tickets (host_id, opened_at) include (solved_at);
  create index on tickets (host_id, solved_at) where solved_at is not null;

  -- Each change of a host's mapping is a version; a kind without one has the default mapping.
  create table crm_mappings (
    host_id uuid not null references hosts on delete cascade,
    kind text not null check (kind in ('tickets', 'deals', 'objects')),
    version integer not null check (version > 0),
    mapping jsonb not null,
    created_at timestamptz not null default now(),
    primary key (host_id, kind, version)
  );

  create table intake_records (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    kind text not null check (kind in ('tickets', 'deals', 'objects')),
    job_id text not null,
    arrived_at timestamptz not null,
    -- Not jsonb, which changes the order of fields and the spelling of numbers.
    body json not null,
    state text not null default 'received' check (state in ('received', 'done', 'refused', 'failed')),
    -- Why it was refused or failed: [{path, message}].
    reasons jsonb not null default '[]',
    warnings jsonb not null default '[]',
    -- If it is done.
    status text check (status in ('created', 'updated', 'unchanged')),
    record_table text check (record_table in ('leads', 'tickets')),
    record_id uuid,
    -- 0: the default mapping.
    mapping_version integer,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    primary key (host_id, id),
    -- A job that runs again finds its record; a key that is used again later has another.
    unique (host_id, job_id, arrived_at)
  );
  create index on intake_records (host_id, state, arrived_at) where state <> 'done';
  create index on intake_records (created_at) where state = 'received';
  create index intake_records_to_delete on intake_records (created_at) where state <> 'received';
  -- Finds the arrivals of a lead or ticket, if an older one is processed after a later one.
  create index intake_records_by_record on intake_records (host_id, record_id) where record_id is not null;
`;
