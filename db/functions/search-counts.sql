-- Which of these hosts have many times their share of such records, and an estimate of their number.
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
  ) sampled
$$;
