import { auditedTable } from './audited-table.ts';

/** Who may send records without a token: it signs them instead. */
export const crmSources = `
  create table crm_sources (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    name text not null check (name <> ''),
    -- The last part of its URL.
    address text not null unique,
    kind text not null check (kind in ('tickets', 'deals', 'objects')),
    scheme text not null check (scheme in ('standard', 'hubspot', 'hmac')),
    -- How it signs, where the scheme leaves that open: {baseUrl, header, algorithm, encoding, prefix, timestampHeader, signed}.
    settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'),
    -- When it gets its answer: when the record is stored as received, or when it is mapped.
    ack text not null default 'late' check (ack in ('early', 'late')),
    enabled boolean not null default true,
    sealed_secret text not null,
    secret_set_at timestamptz not null default now(),
    -- The secret before, valid beside the current one for a time.
    sealed_earlier_secret text,
    earlier_valid_until timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, name)
  );

  -- Signed messages whose records were stored, while their time of signing is accepted: a repeated one is refused.
  create table signed_messages (
    host_id uuid not null references hosts on delete cascade,
    source_id uuid not null,
    -- The digest of what was signed, and which record of it this is.
    message text not null,
    -- A job that runs again finds its own message.
    job_id text not null,
    created_at timestamptz not null default now(),
    primary key (host_id, source_id, message)
  );
  create index on signed_messages (created_at);

  ${auditedTable('crm_sources', { omitted: 'sealed_secret,sealed_earlier_secret' })}
`;
