import { auditedTable } from './audited-table.ts';

/**
 * Documents whose text became chunks. An upload has the bytes from the request until its import has ended; an import is one
 * reading of a document, and keeps how it went.
 */
export const documents = `
  create table documents (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    dataset_id uuid not null,
    -- As the caller names it.
    external_key text check (external_key <> ''),
    -- Of the last import that succeeded; of the first one until then.
    name text not null check (name <> ''),
    media_type text not null,
    url text,
    passages integer not null default 0,
    -- Then it has neither chunks nor key.
    deleted boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    foreign key (host_id, dataset_id) references datasets on delete cascade
  );
  create unique index on documents (host_id, dataset_id, external_key);
  create index on documents (host_id, created_at, id) where not deleted;
  create index on documents (host_id, dataset_id, created_at, id) where not deleted;
  ${auditedTable('documents', {})}

  create table document_uploads (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    content bytea not null,
    created_at timestamptz not null default now(),
    primary key (host_id, id)
  );
  -- Most documents are compressed already.
  alter table document_uploads alter column content set storage external;
  create index on document_uploads (created_at);

  create table document_imports (
    host_id uuid not null references hosts on delete cascade,
    -- The id of the job that ordered it.
    id text not null,
    document_id uuid not null,
    number bigint not null generated always as identity,
    name text not null check (name <> ''),
    media_type text not null,
    url text,
    -- Null for an address. No reference: the upload is deleted when the import ends.
    upload_id uuid,
    -- The token that ordered it. No reference, because a token may be deleted.
    token_id uuid not null,
    token_name text not null,
    -- How often it was begun.
    attempts integer not null default 0,
    stage text not null default 'waiting' check (stage in ('waiting', 'fetching', 'reading', 'storing', 'ended')),
    done integer not null default 0,
    total integer not null default 0,
    -- Why the document could not be read.
    reason text,
    added integer not null default 0,
    kept integer not null default 0,
    removed integer not null default 0,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    primary key (host_id, id),
    foreign key (host_id, document_id) references documents on delete cascade,
    check ((stage = 'ended') = (ended_at is not null))
  );
  create index on document_imports (host_id, created_at) where ended_at is null;
  create index on document_imports (host_id, document_id, number);
  create index on document_imports (ended_at) where ended_at is not null;

  -- Of which document a chunk is a passage, and where it stands there: page, or path of headings.
  alter table chunks
    add column document_id uuid,
    add column place text,
    add foreign key (host_id, document_id) references documents on delete cascade;
  create index on chunks (host_id, document_id) where document_id is not null;

  create or replace view readable_chunks with (security_invoker = true) as
    select dataset.host_id, dataset.avatar_id, dataset.dataset_id, dataset.dataset_name,
           dataset.dataset_type, dataset.expires, chunk.id as chunk_id, chunk.content, chunk.token_count,
           chunk.written_by, chunk.written_by_name, chunk.updated_at, chunk.search,
           case when dataset.dataset_type = 'filtered_rag' then chunk.filter end as filter,
           coalesce(chunk.body, chunk.content) as body,
           chunk.document_id,
           -- Not a join: most chunks are of no document, and this is read for those that are.
           case when chunk.document_id is not null then (
             select concat_ws(', ', document.name, nullif(chunk.place, '')) from documents document
             where document.host_id = chunk.host_id and document.id = chunk.document_id
           ) end as document_title
    from readable_datasets dataset
    join chunks chunk on chunk.host_id = dataset.host_id and chunk.dataset_id = dataset.dataset_id
    where not chunk.deleted;
`;
