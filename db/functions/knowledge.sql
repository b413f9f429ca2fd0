create or replace function words_of(input text) returns text[] language sql immutable strict parallel safe
  return tsvector_to_array(to_tsvector('simple'::regconfig, fold_text(input)));

-- Whether a chunk may have this text: both its column of words and its trigger make a tsvector of it, which holds 1 MiB.
create or replace function is_indexable(content text) returns boolean
  language plpgsql stable set search_path = "$user", public
as $$
begin
  perform search_vector(content), words_of(content);
  return true;
exception when program_limit_exceeded then
  return false;
end $$;

-- In one order, to prevent deadlocks between two writers.
create or replace function store_words() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into chunk_words
  select distinct written.host_id, word
  from written, unnest(words_of(coalesce(written.body, written.content))) word
  where word ~ '^[a-z]{5,30}$'
  order by 1, 2
  on conflict do nothing;
  return null;
end $$;

-- A passage that was written, changed or deleted is compared with the others of its host.
create or replace function check_contradictions() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into contradiction_checks
  select host_id, id, clock_timestamp() from written order by id
  on conflict (host_id, chunk_id) do update set due_at = excluded.due_at;
  return null;
end $$;

create or replace function keys_of(datasets uuid[], stem text) returns text[] language sql immutable parallel safe
  return array(select left(dataset::text, 8) || stem from unnest(datasets) dataset);

create or replace function letters_of(word text) returns text language sql immutable strict parallel safe
  return (select string_agg(letter, '' order by letter) from unnest(string_to_array(word, null)) letter);

-- Words that sound like a typed one, or begin so: it may be written by ear, cut, or have another ending. Of many that begin so, those that
-- have most forms. Fewer than five letters or sounds begin too many words: sounds must be all of one, letters its beginning as written.
create or replace function words_heard(host uuid, typed text) returns table (word text, likeness real) language plpgsql stable as $$
#variable_conflict use_column
declare
  typed_sound text := sound_of(typed);
  beginning text := left(typed_sound, greatest(5, length(typed_sound) - 2));
begin
  return query
    select word, likeness::real from (
      select word, case when sound = typed_sound then 0.8 when starts_with(sound, typed_sound) then 0.6 else 0.5 end as likeness
      from chunk_words
      where length(typed) > 4 and host_id = host and (sound = typed_sound or length(typed_sound) > 4)
        and sound >= beginning and sound < beginning || '~'
      union all
      select word, 0.6 from chunk_words
      where length(typed) <= 4 and host_id = host and word > typed and word < typed || '~'
    ) heard_word
    order by likeness desc, count(*) over (partition by left(word, length(typed) + 3)) desc, word
    limit 4;
end $$;

-- Transposed letters are typing errors that trigram similarity hardly recognizes. Only words with the same first letter
-- are compared, in the order of the key: comparing all words of a host is too expensive.
create or replace function words_like(host uuid, misspelt text) returns table (word text, likeness real) language plpgsql stable as $$
#variable_conflict use_column
declare
  letters text := letters_of(misspelt);
begin
  return query
    select word, greatest(likeness, case when letters_of(word) = letters then 0.7 else 0 end)::real
    from (
      select word, similarity(word, misspelt) as likeness from chunk_words
      where host_id = host and word >= left(misspelt, 1) and word < chr(ascii(misspelt) + 1)
        and length(word) between length(misspelt) - 2 and length(misspelt) + 2
      -- Each similarity is computed once.
      offset 0
    ) near_word
    where likeness >= 0.5 or likeness >= 0.2 and length(word) = length(misspelt) and letters_of(word) = letters
    order by 2 desc, 1
    limit 4;
end $$;

-- The words that are run together in a typed one: the longest that it begins with, the longest that it ends with, and else what is left.
create or replace function words_within(host uuid, typed text) returns text[] language plpgsql stable set search_path = "$user", public
as $$
declare
  opening text := (select word from chunk_words
    where host_id = host and word = any (array(select left(typed, size) from generate_series(5, length(typed) - 3) size))
    order by length(word) desc limit 1);
  rest text := substr(typed, coalesce(length(opening), 0) + 1);
  ending text := (select word from chunk_words
    where host_id = host and word = any (array(select right(rest, size) from generate_series(5, length(rest)) size)) and word <> typed
    order by length(word) desc limit 1);
begin
  if ending is null then return array[opening, regexp_replace(rest, '^(de|do|da|no|na|e)(...)', '\2')]; end if;
  return array[coalesce(opening, left(rest, -length(ending))), ending];
end $$;

-- The stems of the words with the number of chunks that have them, and of all chunks. A word without a match is replaced by one of the
-- host's that sounds like it, or is most similar, and that a readable chunk has, or by those that are run together in it; only for the
-- first `literal_count` words, which are the query.
create or replace function known_stems(host uuid, avatar uuid, dataset_ids uuid[], words text[], literal_count integer)
  returns table (word text, written text, stem text, likeness real, chunks bigint, total bigint)
  language plpgsql stable security definer
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set search_path = public, pg_temp
as $$
declare
  datasets uuid[] := readable_datasets_of(host, avatar, dataset_ids);
  replacements_left integer := 4;
  at bigint;
  is_known boolean;
begin
  total := chunk_count(host, datasets);
  if total = 0 then return; end if;
  -- One statement for all words, which folds them as one text: each statement and each pass of `fold_words` costs more than what it
  -- does for one word. Stems of stop words stay, because no chunk has them.
  for word, at, stem, chunks in
    select given.word, given.at, given_stem.stem, having_stem.count
    from unnest(words, string_to_array(fold_words(array_to_string(words, e'\n')), e'\n')) with ordinality given (word, folded, at)
    left join (
      unnest(tsvector_to_array(to_tsvector('portuguese'::regconfig, given.folded))) with ordinality given_stem (stem, nth)
      cross join lateral (
        select case when total >= 4096 then chunk_count_with(host, datasets, keys_of(datasets, given_stem.stem), total) else (
          select count(*) from chunks
          where host_id is not distinct from host and (dataset_id = any (datasets)) is true and not deleted
            and is_in_force(valid_from, valid_until)
            and dataset_words(dataset_id, tsvector_to_array(search)) && array(
              select left(dataset::text, 8) || given_stem.stem from unnest(datasets) dataset)
        ) end as count
      ) having_stem
    ) on having_stem.count > 0
    order by given.at, given_stem.nth
  loop
    written := word;
    likeness := 1;
    if stem is not null then
      return next;
      continue;
    end if;
    is_known := false;
    continue when at > literal_count or replacements_left = 0 or word !~ '^[a-z]{3,30}$';
    replacements_left := replacements_left - 1;
    for written, likeness, stem, chunks in
      select like_stem.* from (
        select min(heard.word) as word, max(heard.likeness) as likeness, heard_stem,
          chunk_count_with(host, datasets, keys_of(datasets, heard_stem), total) as count
        from words_heard(host, known_stems.word) heard, unnest(tsvector_to_array(search_vector(heard.word))) heard_stem
        group by heard_stem) like_stem
      where like_stem.count > 0 order by like_stem.likeness desc, like_stem.count desc, like_stem.word limit 1
    loop
      is_known := true;
      return next;
    end loop;
    continue when is_known or length(word) < 5;
    for written, likeness in select * from words_like(host, word) loop
      foreach stem in array tsvector_to_array(search_vector(written)) loop
        chunks := chunk_count_with(host, datasets, keys_of(datasets, stem), total);
        continue when chunks = 0;
        is_known := true;
        return next;
      end loop;
      exit when is_known;
    end loop;
    continue when is_known or length(word) < 8;
    likeness := 0.7;
    foreach written in array words_within(host, word) loop
      foreach stem in array tsvector_to_array(search_vector(coalesce(written, ''))) loop
        chunks := chunk_count_with(host, datasets, keys_of(datasets, stem), total);
        if chunks > 0 then return next; end if;
      end loop;
    end loop;
  end loop;
end $$;

-- The readable chunks that people call by one of these words; null where there are none. It reads under the policies of its caller,
-- and a host without such words, which most are, pays for one look at them.
create or replace function named_chunks(host uuid, avatar uuid, dataset_ids uuid[], terms jsonb, words text[]) returns json
  language plpgsql stable as $$
begin
  if not exists (select from people_stems where host_id = host) then return null; end if;
  return (
    select json_agg(row_to_json(named_chunk)) from (
      select asked_stem.word, asked_stem.stem, named.words as "peopleWords", chunk.chunk_id as "chunkId",
        chunk.dataset_id as "datasetId", chunk.dataset_name as "datasetName", chunk.dataset_type as "datasetType", chunk.body,
        chunk.token_count as "tokenCount", chunk.document_id as "documentId", chunk.document_title as "documentTitle"
      from (
        select word, stem from unnest(words) word, unnest(tsvector_to_array(search_vector(word))) stem
      ) asked_stem
      join people_stems found on found.host_id = host and found.stem = asked_stem.stem
      join people_words named on named.host_id = host and named.chunk_id = found.chunk_id
      cross join lateral (
        select * from readable_chunks readable
        where readable.host_id = host and readable.avatar_id = avatar and readable.chunk_id = found.chunk_id limit 1
      ) chunk
      where (dataset_ids is null or chunk.dataset_id = any (dataset_ids))
        and (terms is null or chunk.dataset_type = 'common_rag' or is_meant_for(chunk.filter, terms))
      order by chunk.chunk_id, asked_stem.word
      limit 200
    ) named_chunk);
end $$;

-- Whether the turn has one of the values of each key of the filter; a key that the turn lacks has no value.
create or replace function is_meant_for(filter jsonb, terms jsonb) returns boolean language sql immutable parallel safe
  return filter is null or not exists (
    select from jsonb_each(filter) filter_key
    where not coalesce(jsonb_exists_any(terms -> filter_key.key,
      array(select jsonb_array_elements_text(filter_key.value))), false));

-- Under row-level security the role of the policies cannot use these index operators, because they are not leakproof.
-- So these functions run as the owner, compare with the hosts of the transaction themselves, and return words and ids
-- only: the caller reads the rows under the policies.
create or replace function readable_datasets_of(host uuid, avatar uuid, dataset_ids uuid[]) returns uuid[]
  language sql stable security definer set search_path = public, pg_temp
as $$
  select coalesce(array_agg(dataset_id), '{}') from readable_datasets
  where host_id = host and host = any (hosts_in_scope()) and avatar_id = avatar
    and (dataset_ids is null or dataset_id = any (dataset_ids))
$$;

-- Planned once a connection, and from the time when the knowledge was small the plan is right once it is large: without a scan of
-- the table, each count has one index that is the cheapest at any size, and that of the sample reads a 256th.
create or replace function chunk_count(host uuid, datasets uuid[]) returns bigint
  language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set search_path = "$user", public
as $$
declare
  sampled bigint;
begin
  select 256 * count(*) into sampled from chunks
  where host_id = host and dataset_id = any (datasets) and not deleted and is_sampled(id);
  if sampled >= 4096 then return sampled; end if;
  return (select count(*) from chunks where host_id = host and dataset_id = any (datasets) and not deleted);
end $$;

-- Where words are looked for, only their index serves: what the other comparisons say, an index of hosts or of datasets would serve
-- as well, and it is chosen for small knowledge, where taking the words of each chunk apart costs most of a search.
--
-- Exact up to 300; larger counts, which need not be exact, are estimated from the sample. known_stems calls it for each word, so what is
-- set for its statements is set there, once.
create or replace function chunk_count_with(host uuid, datasets uuid[], keys text[], total bigint) returns bigint
  language plpgsql stable
as $$
declare
  sampled bigint := 0;
begin
  if total >= 4096 then
    select 256 * count(*) into sampled from chunks
    where host_id is not distinct from host and (dataset_id = any (datasets)) is true and not deleted and is_sampled(id)
      and is_in_force(valid_from, valid_until) and dataset_words(dataset_id, tsvector_to_array(search)) && keys;
    if sampled >= 1280 then return sampled; end if;
  end if;
  return greatest(sampled, (
    select count(*) from (
      select from chunks
      where host_id is not distinct from host and (dataset_id = any (datasets)) is true and not deleted
        and is_in_force(valid_from, valid_until) and dataset_words(dataset_id, tsvector_to_array(search)) && keys
      limit case when total >= 4096 then 300 else 4096 end
    ) counted_chunk));
end $$;

-- A probe is one stem, or several separated by blanks: chunks with all of them match. Chunks that the filter excludes
-- are removed before any limit applies, so that they never displace others.
create or replace function chunk_candidates(host uuid, avatar uuid, dataset_ids uuid[], terms jsonb, probes text[],
    stems text[], weights real[], max_rows integer)
  returns table (chunk_id uuid, score real)
  language plpgsql stable security definer
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set search_path = public, pg_temp
as $$
declare
  datasets uuid[] := readable_datasets_of(host, avatar, dataset_ids);
  words tsquery[] := array(
    select ('''' || replace(replace(stem, '\', '\\'), '''', '''''') || '''')::tsquery
    from unnest(stems) with ordinality listed_stem (stem, at) order by at);
begin
  return query
    with probe_match as materialized (
      select matching_chunk.id, matching_chunk.search
      from unnest(probes) probe
      cross join lateral (
        select chunk.id, chunk.search
        from chunks chunk
        join datasets dataset on dataset.host_id = host and dataset.id = chunk.dataset_id
        where chunk.host_id is not distinct from host and (chunk.dataset_id = any (datasets)) is true and not chunk.deleted
          and is_in_force(chunk.valid_from, chunk.valid_until)
          and dataset_words(chunk.dataset_id, tsvector_to_array(chunk.search)) && keys_of(datasets, probe)
          and (terms is null or dataset.type = 'common_rag' or is_meant_for(chunk.filter, terms))
        limit 400
      ) matching_chunk
      where position(' ' in probe) = 0
      union all
      select matching_chunk.id, matching_chunk.search
      from unnest(probes) probe
      cross join unnest(datasets) of_dataset
      cross join lateral (
        select chunk.id, chunk.search
        from chunks chunk
        join datasets dataset on dataset.host_id = host and dataset.id = chunk.dataset_id
        where chunk.host_id is not distinct from host and chunk.dataset_id is not distinct from of_dataset and not chunk.deleted
          and is_in_force(chunk.valid_from, chunk.valid_until)
          and dataset_words(chunk.dataset_id, tsvector_to_array(chunk.search))
            @> dataset_words(of_dataset, string_to_array(probe, ' '))
          and (terms is null or dataset.type = 'common_rag' or is_meant_for(chunk.filter, terms))
        limit 100
      ) matching_chunk
      where position(' ' in probe) > 0
    )
    select candidate.id,
      (select coalesce(sum(weight), 0)::real from unnest(words, weights) stem (word, weight)
        where candidate.search @@ word)
    from (select distinct on (id) id, search from probe_match) candidate
    order by 2 desc, 1
    limit max_rows;
end $$;

-- The passages that share most with one of these passages and approved answers, by its rarest stems: up to `most` for each, without itself. A stem that more than 300
-- have tells little, and its index is read up to there.
create or replace function passages_near(host uuid, asked uuid[], most integer) returns setof uuid
  language plpgsql stable security definer
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set search_path = public, pg_temp
as $$
declare
  datasets uuid[] := array(
    select distinct dataset_id from readable_datasets where host_id = host and host = any (hosts_in_scope()));
begin
  return query
    with asked_stem as materialized (
      select chunk.id, stem from chunks chunk, unnest(tsvector_to_array(search)) stem
      where chunk.host_id = host and chunk.id = any (asked) and dataset_id = any (datasets) and not deleted
      union all
      select approved.id, stem from approved_answers approved,
        unnest(tsvector_to_array(search_vector(questions[1] || ' ' || answer))) stem
      where host_id = host and host = any (hosts_in_scope()) and approved.id = any (asked) and not deleted
    ), posting as materialized (
      select known.stem, array_agg(having_stem.id) as ids, count(*) as passages
      from (select distinct asked_stem.stem from asked_stem) known
      cross join lateral (
        select chunk.id from chunks chunk
        where host_id is not distinct from host and (dataset_id = any (datasets)) is true and not deleted
          and dataset_words(dataset_id, tsvector_to_array(search)) && keys_of(datasets, known.stem)
        limit 301
      ) having_stem
      group by known.stem having count(*) between 2 and 300
    ), rare as (
      select asked_stem.id, posting.ids, posting.passages,
        row_number() over (partition by asked_stem.id order by posting.passages, posting.stem) as place
      from asked_stem join posting using (stem)
    ), shared as (
      select rare.id, other, sum(10 - ln(passages)) as weight
      from rare, unnest(ids) other
      where place <= 24 and other <> rare.id
      group by rare.id, other
    ), ranked as (
      select other, row_number() over (partition by shared.id order by weight desc, other) as place from shared
    )
    select distinct other from ranked where place <= most;
end $$;
