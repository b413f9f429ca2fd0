import { declareTriggerFunctions } from './declare-trigger-functions.ts';

/*
 * One index has every word of every chunk behind a few letters of its dataset's id, so that a search reads the entries
 * of the avatar's datasets only, however many hosts there are. How rare a frequent word is comes from a sample of one
 * chunk in 256; a rare one is counted. So writers keep no statistics. The words that a host ever wrote are stored too: a
 * word that no chunk has is compared with those.
 */
export const knowledge = `
  create table datasets (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    name text not null check (name <> ''),
    type text not null default 'common_rag' check (type in ('common_rag', 'filtered_rag')),
    visible boolean not null default true,
    deleted boolean not null default false,
    expires timestamptz not null default '2100-01-01 00:00Z',
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id)
  );

  create table dataset_avatars (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    dataset_id uuid not null,
    avatar_id uuid not null,
    visible boolean not null default true,
    deleted boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (host_id, id),
    unique (host_id, avatar_id, dataset_id),
    foreign key (host_id, dataset_id) references datasets on delete cascade,
    foreign key (host_id, avatar_id) references avatars on delete cascade
  );
  create index on dataset_avatars (host_id, dataset_id);

  create table chunks (
    host_id uuid not null references hosts on delete cascade,
    id uuid not null default gen_random_uuid(),
    dataset_id uuid not null,
    content text not null,
    token_count integer not null check (token_count >= 0),
    -- The token that wrote last. No reference, because a token may be deleted.
    written_by uuid,
    written_by_name text,
    deleted boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    -- Both, or neither: content without front-matter is all body, and the chunk is for everybody.
    filter jsonb check (jsonb_typeof(filter) = 'object'),
    body text,
    search tsvector not null generated always as (search_vector(coalesce(body, content))) stored,
    primary key (host_id, id),
    foreign key (host_id, dataset_id) references datasets on delete cascade,
    check ((filter is null) = (body is null))
    -- Rows of up to a page are not compressed: decompressing them costs more than comparing them.
  ) with (toast_tuple_target = 8160);

  create function dataset_words(dataset uuid, words text[]) returns text[] language sql immutable strict parallel safe
    return array(select left(dataset::text, 8) || word from unnest(words) word);

  create function is_sampled(id uuid) returns boolean language sql immutable strict parallel safe
    return right(id::text, 2) = '00';

  create index on chunks (host_id, dataset_id) where not deleted;
  create index chunks_words on chunks using gin (dataset_words(dataset_id, tsvector_to_array(search)))
    with (fastupdate = off) where not deleted;
  create index chunks_sampled_words on chunks using gin (dataset_words(dataset_id, tsvector_to_array(search)))
    with (fastupdate = off) where not deleted and is_sampled(id);
  create index chunks_filtered on chunks (host_id, dataset_id) where not deleted and filter is not null;
  create index chunks_sampled on chunks (host_id, dataset_id) where not deleted and is_sampled(id);

  -- The only definition of what an avatar may read; whom a filter admits depends on the turn.
  create view readable_datasets with (security_invoker = true) as
    select link.host_id, link.avatar_id, dataset.id as dataset_id, dataset.name as dataset_name,
           dataset.type as dataset_type, dataset.expires
    from dataset_avatars link
    join datasets dataset on dataset.host_id = link.host_id and dataset.id = link.dataset_id
    where link.visible and not link.deleted
      and dataset.visible and not dataset.deleted and dataset.expires > now();

  create view readable_chunks with (security_invoker = true) as
    select dataset.host_id, dataset.avatar_id, dataset.dataset_id, dataset.dataset_name,
           dataset.dataset_type, dataset.expires, chunk.id as chunk_id, chunk.content, chunk.token_count,
           chunk.written_by, chunk.written_by_name, chunk.updated_at, chunk.search,
           case when dataset.dataset_type = 'filtered_rag' then chunk.filter end as filter,
           coalesce(chunk.body, chunk.content) as body
    from readable_datasets dataset
    join chunks chunk on chunk.host_id = dataset.host_id and chunk.dataset_id = dataset.dataset_id
    where not chunk.deleted;

  create table chunk_words (
    host_id uuid not null references hosts on delete cascade,
    word text collate "C" not null,
    primary key (host_id, word)
  );

  ${declareTriggerFunctions('store_words')}
  create trigger keep_words after insert on chunks
    referencing new table as written for each statement execute function store_words();
  create trigger keep_changed_words after update on chunks
    referencing new table as written for each statement execute function store_words();
`;
