-- Records of these hosts with all of these keys.
create or replace function search_look(tags text[], keys text[], most integer)
  returns table (tag text, id tid) language sql stable set enable_seqscan = off
as $$
  select tag, ids.id
  from unnest(tags) as tag
  cross join lateral (
    select ctid as id from search_records
    where search_keys(host_id, vector) @> array(select tag || key from unnest(keys) key)
    limit most
  ) ids
$$;

-- Those that also have one of the other keys.
create or replace function search_look_among(tags text[], keys text[], choices text[], most integer)
  returns table (tag text, id tid) language sql stable set enable_seqscan = off
as $$
  select tag, ids.id
  from unnest(tags) as tag
  cross join lateral (
    select ctid as id from search_records
    where search_keys(host_id, vector) @> array(select tag || key from unnest(keys) key)
      and search_keys(host_id, vector) && array(select tag || key from unnest(choices) key)
    limit most
  ) ids
$$;

-- Which of these hosts have many times their share of such records, and an estimate of their number.
create or replace function search_common(given text[], keys text[], share integer, out tags text[], out total bigint)
  language sql stable set enable_seqscan = off
as $$
  select coalesce(array_agg(tag), '{}'), coalesce(sum(256 * sampled), 0)
  from unnest(given) as tag
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
  ) sampled
$$;

create or replace function search_marked(mark text, words text[]) returns text[] language sql immutable parallel safe
  return array(select mark || word from unnest(words) word);

-- The key of a neighbour implies mark 1, that the word occurs at all.
create or replace function search_marked_beside(mark text, words text[]) returns text[] language sql immutable parallel safe
  return case when mark <> '1' then search_marked(mark, words) else '{}' end;

create or replace function search_neighbours_of(words text[]) returns text[] language sql immutable parallel safe
  return array(
    select search_neighbours(words[at], words[at + 1]) from generate_series(1, cardinality(words) - 1) at);

create or replace function search_pairs_of(words text[]) returns text[] language sql immutable parallel safe
  return array(
    select search_neighbours(one.word, other.word)
    from unnest(words) with ordinality as one (word, at)
    join unnest(words) with ordinality as other (word, at) on one.at < other.at);

create or replace function search_tags(hosts uuid[]) returns text[] language sql immutable strict parallel safe
  return array(select distinct left(host::text, 8) from unnest(hosts) host);

-- Records whose phone ends with these digits.
create or replace function search_phones_ending(hosts uuid[], endings text[], most integer) returns setof tid
  language sql stable set enable_seqscan = off
as $$
  select distinct ids.id
  from unnest(hosts) as host
  cross join unnest(endings) as ending
  cross join lateral (
    (select ctid as id from search_records
      where host_id = host and phone_key is not null
        and reverse(phone_key) ~>=~ reverse(ending) and reverse(phone_key) ~<~ (reverse(ending) || ':')
      limit most)
    union all
    (select ctid as id from search_records
      where host_id = host and phone is not null
        and reverse(phone) ~>=~ reverse(ending) and reverse(phone) ~<~ (reverse(ending) || ':')
      limit most)
  ) ids
$$;
