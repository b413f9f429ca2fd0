/**
 * Files of conversations, sealed: what staff members send, and what people sent in turns, where the host keeps it. And for how
 * many days a host keeps that.
 */
export const files = `
  create table files (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null,
    conversation_id uuid not null,
    -- The message of a staff member: null until it is stored.
    message_seq bigint,
    -- The turn in which the file was sent; null for a staff member's.
    turn_id text,
    -- Its place among the files of its message.
    place smallint not null,
    name text,
    media_type text not null default '',
    size integer not null,
    -- The words of a recording.
    transcript text,
    -- The file's own key, which is sealed with the secret of the installation.
    sealed_key text not null,
    content bytea not null,
    created_at timestamptz not null default now(),
    primary key (host_id, id),
    foreign key (host_id, conversation_id) references conversations on delete cascade
  );
  -- Sealed bytes cannot be compressed, and slices are read from the middle.
  alter table files alter column content set storage external;
  create index on files (host_id, conversation_id);
  create index on files (created_at);
  create index waiting_files on files (host_id) where message_seq is null and turn_id is null;

  alter table hosts add column keep_attachments integer not null default 0 check (keep_attachments between 0 and 3650);
`;
