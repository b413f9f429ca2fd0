import { auditedTable } from './audited-table.ts';

/** Systems that assistants call over HTTP. */
export const restTools = `
  create table rest_tools (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    avatar_id uuid not null,
    name text not null check (name <> ''),
    -- The address, and how to sign in there; everything except the secret.
    config jsonb not null check (jsonb_typeof(config) = 'object'),
    -- By name; each is encrypted for this row.
    sealed_secrets jsonb not null default '{}' check (jsonb_typeof(sealed_secrets) = 'object'),
    functions jsonb not null check (jsonb_typeof(functions) = 'array'),
    enabled boolean not null default true,
    unmasked boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    foreign key (host_id, avatar_id) references avatars on delete cascade
  );
  create index on rest_tools (host_id, avatar_id);

  ${auditedTable('rest_tools', { masked: 'config,sealed_secrets' })}
`;
