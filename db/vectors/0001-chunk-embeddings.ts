import { declareTriggerFunctions } from '../migrations/declare-trigger-functions.ts';

/*
 * The embeddings of chunks. A chunk that is not deleted has a row from the transaction on that writes it. Without a
 * vector the row is due; a changed text loses its vector in the transaction that changes it. A worker that takes a row
 * postpones its due time, so that no other takes it too, and a worker that dies loses nothing. The functions are in
 * db/functions/vectors.sql, policies and grants in db/access.
 */
export const chunkEmbeddings = `
  create table chunk_embeddings (
    host_id uuid not null references hosts on delete cascade,
    chunk_id uuid not null,
    dataset_id uuid not null,
    -- Of the text that the vector was made of.
    text_hash bytea not null,
    -- The model and its dimensions: only vectors of one space can be compared. Empty without a vector.
    space text collate "C" not null default '',
    embedding vector,
    due_at timestamptz not null default now(),
    -- How often the model refused it: it may be too long.
    refusals smallint not null default 0,
    primary key (host_id, chunk_id),
    foreign key (host_id, chunk_id) references chunks on delete cascade,
    check ((space = '') = (embedding is null))
    -- Vectors of up to two thousand dimensions stay in their rows: fetching them takes longer than comparing them.
  ) with (toast_tuple_target = 8160);
  create index chunk_embeddings_due on chunk_embeddings (space, due_at);
  create index chunk_embeddings_read on chunk_embeddings (host_id, dataset_id, space);

  ${declareTriggerFunctions('note_text')}
  create trigger note_text after insert on chunks
    referencing new table as written for each statement execute function note_text();
  create trigger note_changed_text after update on chunks
    referencing new table as written for each statement execute function note_text();
  insert into chunk_embeddings (host_id, chunk_id, dataset_id, text_hash)
    select host_id, id, dataset_id, sha256(convert_to(coalesce(body, content), 'UTF8')) from chunks where not deleted;
`;
