import { belongsToHost } from './belongs-to-host.ts';

export const hostsAndTokens = `
  create function hosts_in_scope() returns uuid[] language sql stable parallel safe
    return nullif(current_setting('parley.hosts', true), '')::uuid[];

  create table hosts (
    id uuid primary key default gen_random_uuid(),
    slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
    name text not null check (name <> ''),
    picture text not null default '',
    -- The comparison is never false: it fails where the zone is unknown.
    time_zone text not null default 'America/Sao_Paulo'
      check (timestamptz '2000-01-01 00:00Z' at time zone time_zone is not null),
    business_hours jsonb not null check (jsonb_typeof(business_hours) = 'array') default
      '[{"days": [1, 2, 3, 4, 5], "from": "08:00", "to": "18:00"}, {"days": [6], "from": "08:00", "to": "12:00"}]',
    max_chunks integer not null default 10 check (max_chunks between 1 and 100),
    chunk_size_limit integer not null default 8000 check (chunk_size_limit between 1 and 1000000),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  ${belongsToHost('hosts', 'id')}
  revoke insert, update, delete on hosts from parley_app;

  create table tokens (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    kind text not null check (kind in ('host', 'domain', 'operator')),
    hash bytea not null unique check (octet_length(hash) = 32),
    scopes text[] not null check (
      scopes <@ array['reason', 'manage', 'report', 'intake', 'search', 'search:write', 'admin']
    ),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null default now()
  );

  create table token_hosts (
    token_id uuid not null references tokens on delete cascade,
    host_id uuid not null references hosts on delete cascade,
    primary key (token_id, host_id)
  );
  create index on token_hosts (host_id);
`;
