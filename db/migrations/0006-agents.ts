import { belongsToHost } from './belongs-to-host.ts';

export const agents = `
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
  ${belongsToHost('agent_schemas')}

  create table agents (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    -- What the model calls it by: providers take no other names for functions.
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
  ${belongsToHost('agents')}
`;
