create or replace function words_of(input text) returns text[] language sql immutable strict parallel safe
  return tsvector_to_array(to_tsvector('simple'::regconfig, fold_text(input)));

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

create or replace function keys_of(datasets uuid[], stem text) returns text[] language sql immutable parallel safe
  return array(select left(dataset::text, 8) || stem from unnest(datasets) dataset);

create or replace function letters_of(word text) returns text language sql immutable strict parallel safe
  return (select string_agg(letter, '' order by letter) from regexp_split_to_table(word, '') letter);

-- Transposed letters are typing errors that trigram similarity hardly recognizes. Only words with the same first letter
-- are compared, in the order of the key: comparing all words of a host is too expensive.
create or replace function words_like(host uuid, misspelt text) returns table (word text, likeness real)
  language sql stable set search_path = "$user", public
as $$
  select word, greatest(likeness, case when letters_of(word) = letters_of(misspelt) then 0.7 else 0 end)
  from (
    select word, similarity(word, misspelt) as likeness from chunk_words
    where host_id = host and word >= left(misspelt, 1) and word < chr(ascii(misspelt) + 1)
      and length(word) between length(misspelt) - 2 and length(misspelt) + 2
  ) near_word
  where likeness >= 0.5 or likeness >= 0.2 and length(word) = length(misspelt) and letters_of(word) = letters_of(misspelt)
  order by 2 desc, 1
  limit 4
$$;

-- The stems of the words with the number of chunks that have them, and of all chunks. A word of normal length without a
-- match is replaced by the most similar word of a readable chunk; only for the first `literal_count` words, those of the query.
create or replace function known_stems(host uuid, avatar uuid, dataset_ids uuid[], words text[], literal_count integer)
  returns table (word text, written text, stem text, likeness real, chunks bigint, total bigint)
  language plpgsql stable security definer set search_path = public, pg_temp
as $$
declare
  datasets uuid[] := readable_datasets_of(host, avatar, dataset_ids);
  replacements_left integer := 4;
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
    continue when is_known or at > literal_count or replacements_left = 0 or word !~ '^[a-z]{5,30}$';
    replacements_left := replacements_left - 1;
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
