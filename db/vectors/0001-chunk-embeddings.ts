import { belongsToHost } from './belongs-to-host.ts';

/*
 * What each chunk means, as a vector, and the one question a search asks of it.
 *
 * A row stands for a chunk that is not deleted, from the transaction that writes the chunk on. While it has no vector
 * it is due; a text that changes loses its vector in the transaction that changes it. A worker that takes a row puts
 * its due time off, so that nobody else does the same, and whoever dies has lost nothing.
 */
export const chunkEmbeddings = `
  create table chunk_embeddings (
    host_id uuid not null references hosts on delete cascade,
    chunk_id uuid not null,
    dataset_id uuid not null,
    -- Of the text that the chunk has, and that the vector was made of.
    text_hash bytea not null,
    -- The model and its dimensions: vectors can be compared within one space alone. Empty while there is no vector.
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
  ${belongsToHost('chunk_embeddings')}

  create function text_hash_of(given text) returns bytea language sql immutable strict parallel safe
    return sha256(convert_to(given, 'UTF8'));

  -- In one order, so that two writers never wait for each other in a ring.
  create function note_text() returns trigger language plpgsql security definer set search_path from current as $$
  begin
    delete from chunk_embeddings embedded using written chunk
    where embedded.host_id = chunk.host_id and embedded.chunk_id = chunk.id and chunk.deleted;
    insert into chunk_embeddings (host_id, chunk_id, dataset_id, text_hash)
    select host_id, id, dataset_id, text_hash_of(coalesce(body, content)) from written
    where not deleted
    order by 1, 2
    on conflict (host_id, chunk_id) do update
      set text_hash = excluded.text_hash, space = '', embedding = null, due_at = now(), refusals = 0
      where chunk_embeddings.text_hash <> excluded.text_hash;
    return null;
  end $$;
  create trigger note_text after insert on chunks
    referencing new table as written for each statement execute function note_text();
  create trigger note_changed_text after update on chunks
    referencing new table as written for each statement execute function note_text();
  insert into chunk_embeddings (host_id, chunk_id, dataset_id, text_hash)
    select host_id, id, dataset_id, text_hash_of(coalesce(body, content)) from chunks where not deleted;

  create function neighbour_index_of(host uuid, of_space text) returns text
    language sql immutable strict parallel safe
    return 'chunk_neighbours_' || left(md5(host::text), 16) || '_' || left(md5(of_space), 8);

  -- As what an index has a vector: at half the size, where that is known. Null where no index takes so many numbers.
  create function indexed_vector_type(dimensions integer) returns text
    language sql stable set search_path from current
  as $$
    select case
      when to_regtype('halfvec') is not null and dimensions <= 4000 then format('halfvec(%s)', dimensions)
      when dimensions <= 2000 then format('vector(%s)', dimensions)
    end
  $$;

  -- As the owner, for the reasons of known_stems, and with the same view of what may be read. What an avatar may
  -- read is compared one by one; where that is much, the index of its host gives the nearest first, which are looked
  -- at until enough of them may be read.
  create function chunk_neighbours(host uuid, avatar uuid, only_these uuid[], given jsonb, of_space text,
      asked text, most integer)
    returns table (chunk_id uuid, likeness real)
    language plpgsql security definer
    set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_sort = off
    set search_path from current
  as $$
  declare
    datasets uuid[] := readable_datasets_of(host, avatar, only_these);
    indexed_as text;
  begin
    if cardinality(datasets) = 0 then return; end if;
    if exists (select from pg_index where indisvalid and indexrelid = to_regclass(neighbour_index_of(host, of_space)))
      and chunk_count(host, datasets) > 4000
    then
      indexed_as := indexed_vector_type(vector_dims(asked::vector));
      perform set_config('hnsw.ef_search', '100', true);
      if (select string_to_array(extversion, '.')::integer[] >= '{0,8}' from pg_extension where extname = 'vector') then
        perform set_config('hnsw.iterative_scan', 'strict_order', true);
      end if;
    end if;
    return query execute format($query$
      select near.chunk_id, (1 - near.distance)::real
      from (
        select chunk_id, text_hash, %1$s <=> $1::%2$s as distance
        from chunk_embeddings
        where host_id = %3$L and space = %4$L and dataset_id = any ($2)
        order by %1$s <=> $1::%2$s
      ) near
      cross join lateral (
        select from chunks chunk
        join datasets dataset on dataset.host_id = chunk.host_id and dataset.id = chunk.dataset_id
        where chunk.host_id = %3$L and chunk.id = near.chunk_id and not chunk.deleted
          and text_hash_of(coalesce(chunk.body, chunk.content)) = near.text_hash
          and ($3 is null or dataset.type = 'common_rag' or is_meant_for(chunk.filter, $3))
        limit 1
      ) readable
      limit %5$s
    $query$, coalesce('(embedding::' || indexed_as || ')', 'embedding'), coalesce(indexed_as, 'vector'),
      host, of_space, most)
    using asked, datasets, given;
  end $$;

  revoke execute on function note_text, chunk_neighbours from public;
  grant execute on function chunk_neighbours to parley_app;
`;
