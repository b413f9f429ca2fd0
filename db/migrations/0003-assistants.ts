export const assistants = `
  create table avatars (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    sub_slug text not null check (sub_slug ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
    name text not null check (name <> ''),
    picture text not null default '',
    prompt_envelop text not null default '',
    model text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, sub_slug)
  );

  create table agent_schemas (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    name text not null check (name <> ''),
    description text not null default '',
    -- The JSON Schema of an agent's arguments.
    arguments jsonb not null check (jsonb_typeof(arguments) = 'object'),
    deleted boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, name)
  );

  create table agents (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    -- Model providers accept no other names for functions.
    name text not null check (name ~ '^[A-Za-z0-9_-]{1,64}$'),
    description text not null default '',
    schema_id uuid not null,
    front_schema jsonb not null check (jsonb_typeof(front_schema) = 'object'),
    front_name text not null default '',
    lucide_icon text not null default '',
    advanced boolean not null default false,
    deleted boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, name),
    foreign key (host_id, schema_id) references agent_schemas on delete cascade
  );
  create index on agents (host_id, schema_id);

  create table flows (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    avatar_id uuid not null,
    name text not null check (name <> ''),
    steps jsonb not null check (jsonb_typeof(steps) = 'array' and jsonb_array_length(steps) between 1 and 100),
    prompt_template_name text not null default '',
    model text not null default '',
    template_ref text,
    type text not null default 'custom',
    active boolean not null default true,
    deleted boolean not null default false,
    version integer not null default 1,
    -- The tokens that wrote first and last. No references, because a token may be deleted.
    created_by uuid,
    updated_by uuid,
    -- In milliseconds, as clients receive it and send it back; it increases with each change.
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default clock_timestamp(),
    primary key (host_id, id),
    foreign key (host_id, avatar_id) references avatars on delete cascade
  );
  create index on flows (host_id, avatar_id, updated_at desc) where active and not deleted;

  create table flow_versions (
    host_id uuid not null references hosts on delete cascade,
    flow_id uuid not null,
    version integer not null,
    -- The whole row as it was saved.
    flow jsonb not null,
    saved_by uuid,
    saved_at timestamptz(3) not null,
    primary key (host_id, flow_id, version),
    foreign key (host_id, flow_id) references flows on delete cascade
  );

  create table mcp_configs (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    avatar_id uuid not null,
    name text not null check (name <> ''),
    transport_type text not null check (transport_type in ('streamable', 'sse', 'stdio')),
    -- Everything except the values of the headers.
    config jsonb not null check (jsonb_typeof(config) = 'object'),
    -- By name; each is encrypted for this row.
    sealed_headers jsonb not null default '{}' check (jsonb_typeof(sealed_headers) = 'object'),
    control_conv boolean not null default false,
    version text not null check (version <> ''),
    enabled boolean not null default true,
    -- Increases with each change, so that what a worker has cached of an earlier one is recognized.
    revision integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    foreign key (host_id, avatar_id) references avatars on delete cascade
  );
  create index on mcp_configs (host_id, avatar_id);
`;
