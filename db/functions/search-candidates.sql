-- Records are found by their keys in the index (`search_keys`). First a sample tells which hosts have too many matches: of those
-- only the records with the highest rank are read. A search calls `search_tags`, `find_with_all_words`, `find_with_any_word`
-- and, for an estimate of the total, `search_count_any`. A parameter `share` is the row limit of each host (to rename a
-- parameter would need a migration).

-- Which of these hosts have more than four times `share` such records, by a sample, and an estimate of their number.
create or replace function find_common_hosts(host_tags text[], keys text[], share integer, out tags text[], out total bigint)
  language sql stable set enable_seqscan = off
as $$
  select coalesce(array_agg(tag), '{}'), coalesce(sum(256 * sampled), 0)
  from unnest(host_tags) as tag
  cross join lateral (
    select count(*) as sampled from search_records
    where is_sampled(origin_id) and search_keys(host_id, vector) @> array(select tag || key from unnest(keys) key)
  ) sample
  where 256 * sampled > 4 * share
$$;

-- Estimates a total from the first matches in the physical order of the table.
create or replace function search_estimate(ids tid[]) returns bigint language sql stable
as $$
  select ceil(cardinality(ids) * (pg_relation_size('search_records') / 8192.0)
    / (1 + (select max((id::text::point)[0]) from unnest(ids) id)))::bigint
$$;

-- Estimates the number of records with any of the words.
create or replace function search_count_any(tags text[], words text[]) returns bigint
  language sql stable set enable_seqscan = off
as $$
  select case when cardinality(ids) < 500 then cardinality(ids) else search_estimate(ids) end * 256
  from (
    select array(
      select ctid from search_records
      where is_sampled(origin_id)
        and search_keys(host_id, vector) && array(select tag || '1' || word from unnest(tags) tag, unnest(words) word)
      limit 500) as ids
    offset 0
  ) sampled_records
$$;

create or replace function search_tags(hosts uuid[]) returns text[] language sql immutable strict parallel safe
  return array(select distinct left(host::text, 8) from unnest(hosts) host);

create or replace function occurrence_keys(occurrences text, words text[]) returns text[] language sql immutable parallel safe
  return array(select occurrences || word from unnest(words) word);

-- The key of a neighbour implies that the word occurs once.
create or replace function frequent_occurrence_keys(occurrences text, words text[]) returns text[] language sql immutable parallel safe
  return case when occurrences <> '1' then occurrence_keys(occurrences, words) else '{}' end;

create or replace function adjacent_word_keys(words text[]) returns text[] language sql immutable parallel safe
  return array(
    select search_neighbours(words[at], words[at + 1]) from generate_series(1, cardinality(words) - 1) at);

create or replace function word_pair_keys(words text[]) returns text[] language sql immutable parallel safe
  return array(
    select search_neighbours(one.word, other.word)
    from unnest(words) with ordinality as one (word, at)
    join unnest(words) with ordinality as other (word, at) on one.at < other.at);

-- Records of these hosts with all of these keys.
create or replace function find_records_with_all_keys(tags text[], keys text[], max_rows integer)
  returns table (tag text, id tid) language sql stable set enable_seqscan = off
as $$
  select tag, ids.id
  from unnest(tags) as tag
  cross join lateral (
    select ctid as id from search_records
    where search_keys(host_id, vector) @> array(select tag || key from unnest(keys) key)
    limit max_rows
  ) ids
$$;

-- Finds the records that also have one of the choices.
create or replace function find_records_with_one_key_more(tags text[], keys text[], choices text[], max_rows integer)
  returns table (tag text, id tid) language sql stable set enable_seqscan = off
as $$
  select tag, ids.id
  from unnest(tags) as tag
  cross join lateral (
    select ctid as id from search_records
    where search_keys(host_id, vector) @> array(select tag || key from unnest(keys) key)
      and search_keys(host_id, vector) && array(select tag || key from unnest(choices) key)
    limit max_rows
  ) ids
$$;

-- The minimum numbers of occurrences to search by, as in the keys of the index (`search_keys`): 1 to 6, `a` for 10 and `k` for
-- 20. With many words, few records contain all of them often.
create or replace function occurrence_steps(words text[]) returns text[] language sql immutable parallel safe
  return case cardinality(words) when 1 then '{k,a,6,4,3,2,1}' when 2 then '{6,4,2,1}' else '{4,2,1}' end::text[];

-- Finds, among the records with all words, those with the words adjacent, then those with two of three adjacent.
create or replace function find_adjacent(tags text[], words text[], share integer, enough integer, as_whole boolean) returns tid[]
  language plpgsql stable as $$
declare
  ids tid[] := '{}';
  occurrences text;
begin
  foreach occurrences in array case cardinality(words) when 2 then '{4,2,1}' else '{1}' end::text[] loop
    exit when cardinality(ids) >= enough;
    ids := array(
      select unnest(ids) union
      select id from find_records_with_all_keys(tags, frequent_occurrence_keys(occurrences, words) || adjacent_word_keys(words), share));
  end loop;
  if cardinality(words) <> 3 or not as_whole then return ids; end if;
  foreach occurrences in array '{2,1}'::text[] loop
    exit when cardinality(ids) >= enough;
    ids := array(
      select unnest(ids) union
      select id from find_records_with_one_key_more(tags, occurrence_keys(occurrences, words), word_pair_keys(words), 2 * share));
  end loop;
  return ids;
end $$;

-- Finds, among the records with all words, those with the highest rank, best first, until there are enough. Records with each word only
-- once are searched only in hosts that were not read yet.
create or replace function find_top_ranked(tags text[], unread text[], words text[], max_rows integer, ranking text) returns tid[]
  language plpgsql stable as $$
declare
  row_limit constant integer := greatest(max_rows / cardinality(tags), 50);
  -- Hosts with few records give less than their limit.
  enough constant integer := max_rows / 2;
  ids tid[] := '{}';
  occurrences text;
begin
  if ranking <> 'frequency' and cardinality(words) > 1 then
    ids := find_adjacent(tags, words, row_limit, enough, ranking = 'proximity of query');
  end if;
  foreach occurrences in array occurrence_steps(words) loop
    exit when cardinality(ids) >= enough;
    ids := array(
      select unnest(ids) union
      select id from find_records_with_all_keys(case when occurrences = '1' then unread else tags end, occurrence_keys(occurrences, words), row_limit));
  end loop;
  return ids;
end $$;

-- Records with all words. If there are too many, those with the highest rank. The `ranking` is by 'frequency' only, or also by
-- proximity: 'proximity of query' where the words are the whole query, 'proximity of part' where they are some of them.
create or replace function find_with_all_words(
  tags text[], words text[], max_rows integer, ranking text, out ids tid[], out is_cut boolean, out total bigint
) language plpgsql stable as $$
declare
  row_limit constant integer := greatest(max_rows / cardinality(tags), 50);
  keys constant text[] := occurrence_keys('1', words);
  common_tags text[];
  -- Hosts of which only some records were read.
  partial_tags text[] := '{}';
  candidates record;
begin
  ids := '{}';
  select * into common_tags, total from find_common_hosts(tags, keys, row_limit);
  for candidates in
    select candidate.tag, array_agg(candidate.id) as ids
    from find_records_with_all_keys(array(select unnest(tags) except select unnest(common_tags)), keys, row_limit + 1) candidate
    group by candidate.tag
  loop
    ids := ids || candidates.ids;
    if cardinality(candidates.ids) > row_limit then
      partial_tags := partial_tags || candidates.tag;
      total := total + search_estimate(candidates.ids);
    else
      total := total + cardinality(candidates.ids);
    end if;
  end loop;
  is_cut := cardinality(common_tags || partial_tags) > 0;
  if not is_cut then return; end if;
  ids := array(select unnest(ids) union select unnest(find_top_ranked(common_tags || partial_tags, common_tags, words, 3 * max_rows, ranking)));
  total := greatest(total, cardinality(ids));
end $$;

-- Records with any of the words: those with more of them first, until there are enough.
create or replace function find_with_any_word(
  tags text[], words text[], max_rows integer, enough integer, out ids tid[], out is_cut boolean
) language plpgsql stable as $$
declare
  size constant integer := cardinality(words);
  candidates record;
  at integer;
  other integer;
begin
  ids := '{}';
  is_cut := false;
  if size > 1 then
    select * into candidates from find_with_all_words(tags, words, max_rows, 'proximity of query');
    ids := candidates.ids;
    is_cut := candidates.is_cut;
    if cardinality(ids) >= enough then
      is_cut := true;
      return;
    end if;
  end if;
  if size between 3 and 6 then
    for at in 1 .. size loop
      select * into candidates from find_with_all_words(tags, words[: at - 1] || words[at + 1 :], max_rows / 2,
        'proximity of part');
      ids := ids || candidates.ids;
    end loop;
    ids := array(select distinct unnest(ids));
    if cardinality(ids) >= enough then
      is_cut := true;
      return;
    end if;
  end if;
  if size between 4 and 6 then
    for at in 1 .. size loop
      for other in at + 1 .. size loop
        select * into candidates from find_with_all_words(tags, array[words[at], words[other]], max_rows / 4,
          'proximity of part');
        ids := ids || candidates.ids;
      end loop;
    end loop;
    ids := array(select distinct unnest(ids));
    if cardinality(ids) >= enough then
      is_cut := true;
      return;
    end if;
  end if;
  for at in 1 .. least(size, 16) loop
    select * into candidates from find_with_all_words(tags, array[words[at]], max_rows, 'proximity of part');
    ids := ids || candidates.ids;
    is_cut := is_cut or candidates.is_cut;
  end loop;
  ids := array(select distinct unnest(ids));
  is_cut := is_cut or size > 16;
end $$;
