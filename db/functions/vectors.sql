-- Only where pgvector is installed. The parameters keep the names that they have in existing databases: a function cannot be
-- replaced with others.

create or replace function text_hash_of(given text) returns bytea language sql immutable strict parallel safe
  return sha256(convert_to(given, 'UTF8'));

create or replace function neighbour_index_of(host uuid, of_space text) returns text
  language sql immutable strict parallel safe
  return 'chunk_neighbours_' || left(md5(host::text), 16) || '_' || left(md5(of_space), 8);

-- The type of an indexed vector: half precision where pgvector has it, for half the size. Null: too many dimensions for an index.
create or replace function indexed_vector_type(dimensions integer) returns text
  language sql stable set search_path = public, pg_temp
as $$
  select case
    when to_regtype('halfvec') is not null and dimensions <= 4000 then format('halfvec(%s)', dimensions)
    when dimensions <= 2000 then format('vector(%s)', dimensions)
  end
$$;

-- Chunks without an embedding are due; a changed text loses its own. In one order, to prevent deadlocks between two writers.
create or replace function note_text() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from chunk_embeddings chunk_embedding using written chunk
  where chunk_embedding.host_id = chunk.host_id and chunk_embedding.chunk_id = chunk.id and chunk.deleted;
  insert into chunk_embeddings (host_id, chunk_id, dataset_id, text_hash)
  select host_id, id, dataset_id, text_hash_of(coalesce(body, content)) from written
  where not deleted
  order by 1, 2
  on conflict (host_id, chunk_id) do update
    set text_hash = excluded.text_hash, space = '', embedding = null, due_at = now(), refusals = 0
    where chunk_embeddings.text_hash <> excluded.text_hash;
  return null;
end $$;

-- Compares the vectors of all readable chunks. Where there are many, the index of the host gives the nearest first, until
-- enough of them are readable.
create or replace function chunk_neighbours(host uuid, avatar uuid, only_these uuid[], given jsonb, of_space text,
    asked text, most integer)
  returns table (chunk_id uuid, likeness real)
  language plpgsql security definer
  set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_sort = off
  set search_path = public, pg_temp
as $$
declare
  datasets uuid[] := readable_datasets_of(host, avatar, only_these);
  index_type text;
begin
  if cardinality(datasets) = 0 then return; end if;
  if exists (select from pg_index where indisvalid and indexrelid = to_regclass(neighbour_index_of(host, of_space)))
    and chunk_count(host, datasets) > 4000
  then
    index_type := indexed_vector_type(vector_dims(asked::vector));
    perform set_config('hnsw.ef_search', '100', true);
    if (select string_to_array(extversion, '.')::integer[] >= '{0,8}' from pg_extension where extname = 'vector') then
      perform set_config('hnsw.iterative_scan', 'strict_order', true);
    end if;
  end if;
  return query execute format($query$
    select near_chunk.chunk_id, (1 - near_chunk.distance)::real
    from (
      select chunk_id, text_hash, %1$s <=> $1::%2$s as distance
      from chunk_embeddings
      where host_id = %3$L and space = %4$L and dataset_id = any ($2)
      order by %1$s <=> $1::%2$s
    ) near_chunk
    cross join lateral (
      select from chunks chunk
      join datasets dataset on dataset.host_id = chunk.host_id and dataset.id = chunk.dataset_id
      where chunk.host_id = %3$L and chunk.id = near_chunk.chunk_id and not chunk.deleted
        and is_in_force(chunk.valid_from, chunk.valid_until)
        and text_hash_of(coalesce(chunk.body, chunk.content)) = near_chunk.text_hash
        and ($3 is null or dataset.type = 'common_rag' or is_meant_for(chunk.filter, $3))
      limit 1
    ) readable_chunk
    limit %5$s
  $query$, coalesce('(embedding::' || index_type || ')', 'embedding'), coalesce(index_type, 'vector'),
    host, of_space, most)
  using asked, datasets, given;
end $$;
