import { belongsToHost } from './belongs-to-host.ts';

/*
 * What may be read, and the two questions a search asks of it.
 *
 * One index holds every word of every chunk behind a few letters of its dataset's id, so that a search reads the
 * postings of the avatar's datasets alone, however many hosts there are. How rare a word is comes from one chunk in
 * 256 where a word is common, and is counted where it is not: nothing has to be kept up to date by those who write.
 * The words that a host ever wrote are kept too; one that none of its chunks has is compared with those.
 */
export const rankedKnowledge = `
  drop function chunk_matches;
  drop view readable_chunks;
  drop index chunks_search_idx;
  -- Rows of up to a page stay whole: unpacking them costs more than comparing them.
  alter table chunks drop folded, set (toast_tuple_target = 8160);

  create function dataset_words(dataset uuid, words text[]) returns text[]
    language sql immutable strict parallel safe
    return array(select left(dataset::text, 8) || word from unnest(words) word);

  create function is_sampled(id uuid) returns boolean language sql immutable strict parallel safe
    return right(id::text, 2) = '00';

  create index chunks_words on chunks using gin (dataset_words(dataset_id, tsvector_to_array(search)))
    with (fastupdate = off) where not deleted;
  create index chunks_sampled_words on chunks using gin (dataset_words(dataset_id, tsvector_to_array(search)))
    with (fastupdate = off) where not deleted and is_sampled(id);
  create index chunks_filtered on chunks (host_id, dataset_id) where not deleted and filter is not null;
  create index chunks_sampled on chunks (host_id, dataset_id) where not deleted and is_sampled(id);

  -- The one place that decides what an avatar may read; whom a filter lets read is the turn's to say.
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
  grant select on readable_datasets, readable_chunks to parley_app;

  create table chunk_words (
    host_id uuid not null references hosts on delete cascade,
    word text collate "C" not null,
    primary key (host_id, word)
  );
  ${belongsToHost('chunk_words')}

  create function words_of(given text) returns text[] language sql immutable strict parallel safe
    return tsvector_to_array(to_tsvector('simple'::regconfig, fold_text(given)));

  -- In one order, so that two writers never wait for each other in a ring.
  create function keep_words() returns trigger language plpgsql security definer set search_path from current as $$
  begin
    insert into chunk_words
    select distinct written.host_id, word
    from written, unnest(words_of(coalesce(written.body, written.content))) word
    where word ~ '^[a-z]{5,30}$'
    order by 1, 2
    on conflict do nothing;
    return null;
  end $$;
  create trigger keep_words after insert on chunks
    referencing new table as written for each statement execute function keep_words();
  create trigger keep_changed_words after update on chunks
    referencing new table as written for each statement execute function keep_words();
  insert into chunk_words
    select distinct host_id, word from chunks, unnest(words_of(coalesce(body, content))) word
    where word ~ '^[a-z]{5,30}$'
    on conflict do nothing;

  -- Every key that the chunk declares has one of its values in the turn; a key that the turn lacks has none.
  create function is_meant_for(filter jsonb, given jsonb) returns boolean language sql immutable parallel safe
    return filter is null or not exists (
      select from jsonb_each(filter) declared
      where not coalesce(jsonb_exists_any(given -> declared.key,
        array(select jsonb_array_elements_text(declared.value))), false));

  -- Under row-level security no operator of an index may be used by the role that the policies bind (it could tell
  -- of rows that they hide). So these run as the owner, compare with the hosts of the transaction themselves, and
  -- give words and ids alone: the caller reads the rows under the policies.
  create function readable_datasets_of(host uuid, avatar uuid, only_these uuid[]) returns uuid[]
    language sql stable security definer set search_path from current
  as $$
    select coalesce(array_agg(dataset_id), '{}') from readable_datasets
    where host_id = host and host = any (hosts_in_scope()) and avatar_id = avatar
      and (only_these is null or dataset_id = any (only_these))
  $$;

  create function chunk_count(host uuid, datasets uuid[]) returns bigint
    language plpgsql stable set search_path from current
  as $$
  declare
    sampled bigint;
  begin
    select 256 * count(*) into sampled from chunks
    where host_id = host and dataset_id = any (datasets) and not deleted and is_sampled(id);
    if sampled >= 4096 then return sampled; end if;
    return (select count(*) from chunks where host_id = host and dataset_id = any (datasets) and not deleted);
  end $$;

  -- Exact up to 300; of more, which nobody needs to the letter, those of the sample.
  create function chunk_count_with(host uuid, datasets uuid[], keys text[], total bigint) returns bigint
    language plpgsql stable set search_path from current set enable_seqscan = off
  as $$
  declare
    sampled bigint := 0;
  begin
    if total >= 4096 then
      select 256 * count(*) into sampled from chunks
      where host_id = host and dataset_id = any (datasets) and not deleted and is_sampled(id)
        and dataset_words(dataset_id, tsvector_to_array(search)) && keys;
      if sampled >= 1280 then return sampled; end if;
    end if;
    return greatest(sampled, (
      select count(*) from (
        select from chunks
        where host_id = host and dataset_id = any (datasets) and not deleted
          and dataset_words(dataset_id, tsvector_to_array(search)) && keys
        limit case when total >= 4096 then 300 else 4096 end
      ) counted));
  end $$;

  create function keys_of(datasets uuid[], stem text) returns text[] language sql immutable parallel safe
    return array(select left(dataset::text, 8) || stem from unnest(datasets) dataset);

  create function letters_of(word text) returns text language sql immutable strict parallel safe
    return (select string_agg(letter, '' order by letter) from regexp_split_to_table(word, '') letter);

  -- The same letters in another order are a slip of the fingers, of which common runs of letters tell little.
  -- Read in the order of the key, where the first letter is right: comparing all that a host ever wrote is too dear.
  create function words_like(host uuid, misspelt text) returns table (word text, likeness real)
    language sql stable set search_path from current
  as $$
    select word, greatest(alike, case when letters_of(word) = letters_of(misspelt) then 0.7 else 0 end)
    from (
      select word, similarity(word, misspelt) as alike from chunk_words
      where host_id = host and word >= left(misspelt, 1) and word < chr(ascii(misspelt) + 1)
        and length(word) between length(misspelt) - 2 and length(misspelt) + 2
    ) near
    where alike >= 0.5 or alike >= 0.2 and length(word) = length(misspelt) and letters_of(word) = letters_of(misspelt)
    order by 2 desc, 1
    limit 4
  $$;

  -- The stems of the words with the number of chunks that have them, and that of all. For a word of a language's
  -- length that none has, what is written most like it, if a chunk that may be read has that; only for the first
  -- words, which were said.
  create function known_stems(host uuid, avatar uuid, only_these uuid[], words text[], said integer)
    returns table (word text, written text, stem text, likeness real, chunks bigint, total bigint)
    -- A plan that a connection made while the knowledge was small reads all of it once it is large.
    language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path from current
  as $$
  declare
    datasets uuid[] := readable_datasets_of(host, avatar, only_these);
    most_misspelt integer := 4;
    at integer := 0;
    is_known boolean;
  begin
    total := chunk_count(host, datasets);
    if total = 0 then return; end if;
    foreach word in array words loop
      at := at + 1;
      written := word;
      likeness := 1;
      is_known := false;
      foreach stem in array tsvector_to_array(search_vector(word)) loop
        chunks := chunk_count_with(host, datasets, keys_of(datasets, stem), total);
        continue when chunks = 0;
        is_known := true;
        return next;
      end loop;
      continue when is_known or at > said or most_misspelt = 0 or word !~ '^[a-z]{5,30}$';
      most_misspelt := most_misspelt - 1;
      for written, likeness in select * from words_like(host, word) loop
        foreach stem in array tsvector_to_array(search_vector(written)) loop
          chunks := chunk_count_with(host, datasets, keys_of(datasets, stem), total);
          continue when chunks = 0;
          is_known := true;
          return next;
        end loop;
        exit when is_known;
      end loop;
    end loop;
  end $$;

  -- A probe is one stem, or several with a blank between: what has all of them. Those that the turn's values do not
  -- let read are cut before anything is bounded, so that they never crowd out others.
  create function chunk_candidates(host uuid, avatar uuid, only_these uuid[], given jsonb, probes text[],
      stems text[], weights real[], most integer)
    returns table (chunk_id uuid, score real)
    language plpgsql stable security definer
    set plan_cache_mode = force_custom_plan set enable_seqscan = off set search_path from current
  as $$
  declare
    datasets uuid[] := readable_datasets_of(host, avatar, only_these);
    words tsquery[] := array(
      select ('''' || replace(replace(stem, '\\', '\\\\'), '''', '''''') || '''')::tsquery
      from unnest(stems) with ordinality listed (stem, at) order by at);
  begin
    return query
      with hits as materialized (
        select found.id, found.search
        from unnest(probes) probe
        cross join lateral (
          select chunk.id, chunk.search
          from chunks chunk
          join datasets dataset on dataset.host_id = chunk.host_id and dataset.id = chunk.dataset_id
          where chunk.host_id = host and chunk.dataset_id = any (datasets) and not chunk.deleted
            and dataset_words(chunk.dataset_id, tsvector_to_array(chunk.search)) && keys_of(datasets, probe)
            and (given is null or dataset.type = 'common_rag' or is_meant_for(chunk.filter, given))
          limit 400
        ) found
        where position(' ' in probe) = 0
        union all
        select found.id, found.search
        from unnest(probes) probe
        cross join unnest(datasets) of_dataset
        cross join lateral (
          select chunk.id, chunk.search
          from chunks chunk
          join datasets dataset on dataset.host_id = chunk.host_id and dataset.id = chunk.dataset_id
          where chunk.host_id = host and chunk.dataset_id = of_dataset and not chunk.deleted
            and dataset_words(chunk.dataset_id, tsvector_to_array(chunk.search))
              @> dataset_words(of_dataset, string_to_array(probe, ' '))
            and (given is null or dataset.type = 'common_rag' or is_meant_for(chunk.filter, given))
          limit 100
        ) found
        where position(' ' in probe) > 0
      )
      select hit.id,
        (select coalesce(sum(weight), 0)::real from unnest(words, weights) asked (word, weight)
          where hit.search @@ word)
      from (select distinct on (id) id, search from hits) hit
      order by 2 desc, 1
      limit most;
  end $$;

  revoke execute on function readable_datasets_of, known_stems, chunk_candidates, keep_words from public;
  grant execute on function known_stems, chunk_candidates to parley_app;
`;
