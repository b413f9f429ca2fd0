/**
 * What staff members write for each other about a conversation. A table of their own: whatever reads messages for a model, a
 * caller or a count cannot meet a note. And when the last one was written, so that a list tells of it.
 */
export const notes = `
  create table notes (
    host_id uuid not null references hosts on delete cascade,
    -- Of the sequence of messages: a note stands between those before and after it.
    seq bigint not null,
    conversation_id uuid not null,
    content text not null,
    name text,
    -- Not the time of the transaction, as that of a message.
    created_at timestamptz not null default clock_timestamp(),
    primary key (host_id, seq),
    foreign key (host_id, conversation_id) references conversations on delete cascade
  );
  create index on notes (host_id, conversation_id, seq);
  create index notes_to_delete on notes (created_at);

  alter table conversations add column noted_at timestamptz;
`;
