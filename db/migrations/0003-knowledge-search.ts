export const knowledgeSearch = `
  -- The body is bound when the function is made, so it holds under any search path, in an index and in a restore.
  create function fold_text(given text) returns text language sql immutable strict parallel safe
    return lower(unaccent('unaccent'::regdictionary, given));

  create function search_vector(given text) returns tsvector language sql immutable strict parallel safe
    return to_tsvector('portuguese'::regconfig, fold_text(given));

  -- Matches what holds any word of the text: the words of a question are never all in the passage that answers it.
  create function any_word_query(given text) returns tsquery language sql immutable strict parallel safe
    return (
      select coalesce(string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', '|'), '')
      from unnest(search_vector(given))
    )::tsquery;

  alter table chunks
    add folded text not null generated always as (fold_text(content)) stored,
    add search tsvector not null generated always as (search_vector(content)) stored;
  create index on chunks using gin (search);
  create index on chunks using gin (folded gin_trgm_ops);

  -- The one place that decides what an avatar may read.
  create view readable_chunks with (security_invoker = true) as
    select chunk.host_id, link.avatar_id, chunk.dataset_id, dataset.name as dataset_name,
           dataset.type as dataset_type, dataset.expires, chunk.id as chunk_id, chunk.content, chunk.token_count,
           chunk.written_by, chunk.written_by_name, chunk.updated_at, chunk.folded, chunk.search
    from dataset_avatars link
    join datasets dataset on dataset.host_id = link.host_id and dataset.id = link.dataset_id
    join chunks chunk on chunk.host_id = dataset.host_id and chunk.dataset_id = dataset.id
    where link.visible and not link.deleted
      and dataset.visible and not dataset.deleted and dataset.expires > now()
      and not chunk.deleted;
  grant select on readable_chunks to parley_app;

  -- Under row-level security no text operator may use its index (it could tell of rows that the policy hides), and
  -- then a search reads every chunk of the host. So this runs as the owner, compares with the hosts of the
  -- transaction itself, and gives ids alone: the caller reads the rows under the policies.
  create function chunk_matches(host uuid, avatar uuid, query text, most integer)
    returns table (chunk_id uuid, score real)
    language plpgsql stable security definer
    set plan_cache_mode = force_custom_plan set search_path from current
  as $$
  declare
    -- What a long question adds after this costs more than it finds.
    asked text := fold_text(left(query, 1000));
    words tsquery := any_word_query(left(query, 1000));
  begin
    return query
      select best.chunk_id, (best.rank * (1 + word_similarity(asked, best.folded)))::real
      from (
        select chunk.chunk_id, chunk.folded, ts_rank(chunk.search, words, 1) as rank
        from readable_chunks chunk
        where chunk.host_id = host and host = any (hosts_in_scope()) and chunk.avatar_id = avatar
          and chunk.search @@ words
        order by rank desc, chunk.chunk_id
        limit 4 * most
      ) best;
    -- Only a query without one known word is read as misspelt: comparing letters is a hundred times dearer.
    if not found then
      return query
        select chunk.chunk_id, word_similarity(asked, chunk.folded)
        from readable_chunks chunk
        where chunk.host_id = host and host = any (hosts_in_scope()) and chunk.avatar_id = avatar
          and asked <% chunk.folded
        order by 2 desc, chunk.chunk_id
        limit most;
    end if;
  end $$;
  revoke execute on function chunk_matches from public;
  grant execute on function chunk_matches to parley_app;
`;
