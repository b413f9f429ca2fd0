export const hosts = `
  -- When a host is open: a bit for each minute of its week, which begins on Monday. Hours that end no later than they
  -- begin end on the next day.
  create function open_minutes_of(business_hours jsonb) returns bit(10080) language sql immutable parallel safe
    return (
      select coalesce(substring(minutes from 1 for 10080) | substring(minutes from 10081), repeat('0', 10080)::bit(10080))
      from (
        select bit_or(rpad(repeat('0', starts) || repeat('1', lasts), 20160, '0')::bit(20160)) as minutes
        from (
          select (day::integer - 1) * 1440 + opens as starts, (closes - opens + 1439) % 1440 + 1 as lasts
          from jsonb_array_elements(business_hours) hours,
            jsonb_array_elements_text(hours -> 'days') day,
            lateral (select (extract(epoch from (hours ->> 'from')::time) / 60)::integer as opens,
              (extract(epoch from (hours ->> 'to')::time) / 60)::integer as closes) clock
        ) stretches
      ) week
    );

  create table hosts (
    id uuid primary key default gen_random_uuid(),
    slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
    name text not null check (name <> ''),
    picture text not null default '',
    -- The comparison is never false: it fails if the zone is unknown.
    time_zone text not null default 'America/Sao_Paulo'
      check (timestamptz '2000-01-01 00:00Z' at time zone time_zone is not null),
    business_hours jsonb not null check (jsonb_typeof(business_hours) = 'array') default
      '[{"days": [1, 2, 3, 4, 5], "from": "08:00", "to": "18:00"}, {"days": [6], "from": "08:00", "to": "12:00"}]',
    max_chunks integer not null default 10 check (max_chunks between 1 and 100),
    chunk_size_limit integer not null default 8000 check (chunk_size_limit between 1 and 1000000),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    open_minutes bit(10080) not null generated always as (open_minutes_of(business_hours)) stored
  );

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

  create table contracts (
    host_id uuid not null references hosts on delete cascade,
    -- A day in the time zone of the host; valid until that of the next contract.
    starts_on date not null,
    -- Of one service.
    price numeric(14, 4) not null check (price >= 0),
    -- Per month.
    services integer not null check (services >= 0),
    created_at timestamptz not null default now(),
    primary key (host_id, starts_on)
  );
`;
