import { belongsToHost } from './belongs-to-host.ts';

export const mcpConfigs = `
  create table mcp_configs (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    avatar_id uuid not null,
    name text not null check (name <> ''),
    transport_type text not null check (transport_type in ('streamable', 'sse', 'stdio')),
    -- All of it but the values of its headers.
    config jsonb not null check (jsonb_typeof(config) = 'object'),
    -- By name, each encrypted for this row alone.
    sealed_headers jsonb not null default '{}' check (jsonb_typeof(sealed_headers) = 'object'),
    control_conv boolean not null default false,
    version text not null check (version <> ''),
    enabled boolean not null default true,
    -- Goes up with every edit: what is kept of an earlier one is recognised by it.
    revision integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    foreign key (host_id, avatar_id) references avatars on delete cascade
  );
  create index on mcp_configs (host_id, avatar_id);
  ${belongsToHost('mcp_configs')}
`;
