/** Which datasets have the names that people give to what stands in their passages asked of a model, and these names. */
export const peopleWords = `
  alter table datasets add column enrich boolean not null default false;

  create table people_words (
    host_id uuid not null references hosts on delete cascade,
    chunk_id uuid not null,
    -- Null until they are known.
    words text,
    -- When a model is asked for them; null: not at all.
    due_at timestamptz,
    tries smallint not null default 0,
    primary key (host_id, chunk_id),
    foreign key (host_id, chunk_id) references chunks on delete cascade
  );
  create index on people_words (due_at) where due_at is not null;

  create table people_stems (
    host_id uuid not null references hosts on delete cascade,
    stem text collate "C" not null,
    chunk_id uuid not null,
    primary key (host_id, stem, chunk_id),
    foreign key (host_id, chunk_id) references people_words on delete cascade
  );
  create index on people_stems (host_id, chunk_id);
`;
