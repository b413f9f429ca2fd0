/** Addresses that are imported again by themselves, and what became of the documents at each import. */
export const refreshes = `
  alter table documents add column refresh_every_hours integer check (refresh_every_hours between 1 and 720);
  -- Ordered by the service itself: what a person orders goes first.
  alter table document_imports add column automatic boolean not null default false;

  -- Apart from the documents, whose changes are audited. It has a row while the document is to be read again.
  create table document_refreshes (
    host_id uuid not null references hosts on delete cascade,
    document_id uuid not null,
    due_at timestamptz not null,
    -- When its address was last read to an end, whether or not it had changed.
    checked_at timestamptz,
    -- What the last import could not read or no longer found, to tell it once; '{}' where all was well.
    trouble jsonb not null default '{}',
    -- What its server said of each page, and the passages that it had.
    pages jsonb not null default '[]',
    primary key (host_id, document_id),
    foreign key (host_id, document_id) references documents on delete cascade
  );
  create index on document_refreshes (host_id, due_at);
  create index on document_refreshes (due_at);
  create index on document_imports (host_id) where ended_at is null and automatic;

  create table document_changes (
    host_id uuid not null references hosts on delete cascade,
    document_id uuid not null,
    number bigint not null generated always as identity,
    at timestamptz not null default clock_timestamp(),
    automatic boolean not null,
    -- Why nothing was changed; null where the import succeeded.
    reason text,
    added integer not null,
    kept integer not null,
    removed integer not null,
    incomplete jsonb,
    gone jsonb,
    primary key (host_id, document_id, number),
    foreign key (host_id, document_id) references documents on delete cascade
  );
`;
