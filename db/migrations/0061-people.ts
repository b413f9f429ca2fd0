import { auditedTable } from './audited-table.ts';

/** The people of a host, who sign in to the console, and the sessions of the console: of them and of tokens. */
export const people = `
  create table people (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    name text not null,
    email text not null,
    role text not null check (role in ('agent', 'manager', 'admin')),
    disabled boolean not null default false,
    -- Of the link that signs in once; null where there is none.
    link_hash bytea unique check (octet_length(link_hash) = 32),
    link_expires_at timestamptz,
    -- Sessions that began before are over.
    sessions_ended_at timestamptz,
    last_seen_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    check ((link_hash is null) = (link_expires_at is null))
  );
  create unique index people_email on people (host_id, lower(email));

  create table person_sessions (
    host_id uuid not null,
    hash bytea not null unique check (octet_length(hash) = 32),
    person_id uuid not null,
    started_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    primary key (host_id, hash),
    foreign key (host_id, person_id) references people on delete cascade
  );
  create index on person_sessions (host_id, person_id);
  create index on person_sessions (expires_at);

  create table token_sessions (
    hash bytea primary key check (octet_length(hash) = 32),
    token_id uuid not null references tokens on delete cascade,
    expires_at timestamptz not null
  );
  create index on token_sessions (token_id);
  create index on token_sessions (expires_at);

  ${auditedTable('people', { omitted: 'link_hash,last_seen_at' })}

  alter table audit_entries
    add column person_id uuid,
    drop constraint audit_entries_actor_kind_check,
    add constraint audit_entries_actor_kind_check check (actor_kind in ('token', 'person', 'command', 'database'));
`;
