/*
 * What is asked of the index of keys. A scan of it reads every record that holds a word before it gives the first: a
 * third of a million for the commonest. So one record in 256 has an index of its own, which tells in a hundredth of the
 * time whether words are common.
 */
export const searchLooks = `
  create index search_records_sampled on search_records using gin (search_keys(host_id, vector))
    with (fastupdate = off) where is_sampled(origin_id);

  -- Records of these hosts that have all of these keys.
  create function search_look(tags text[], keys text[], most integer)
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

  -- Those that have one of some more keys.
  create function search_look_among(tags text[], keys text[], choices text[], most integer)
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

  -- Which of these hosts have many times more such records than their share, and about how many they are.
  create function search_common(given text[], keys text[], share integer, out tags text[], out total bigint)
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

  -- How many there are of which these were met first, in the order in which the table has them.
  create function search_estimate(ids tid[]) returns bigint language sql stable
  as $$
    select ceil(cardinality(ids) * (pg_relation_size('search_records') / 8192.0)
      / (1 + (select max((id::text::point)[0]) from unnest(ids) id)))::bigint
  $$;

  -- About how many records hold any of the words.
  create function search_count_any(tags text[], words text[]) returns bigint
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

  create function search_marked(mark text, words text[]) returns text[] language sql immutable parallel safe
    return array(select mark || word from unnest(words) word);

  -- Whether a word is there at all, its neighbour tells.
  create function search_marked_beside(mark text, words text[]) returns text[] language sql immutable parallel safe
    return case when mark <> '1' then search_marked(mark, words) else '{}' end;

  create function search_neighbours_of(words text[]) returns text[] language sql immutable parallel safe
    return array(
      select search_neighbours(words[at], words[at + 1]) from generate_series(1, cardinality(words) - 1) at);

  create function search_pairs_of(words text[]) returns text[] language sql immutable parallel safe
    return array(
      select search_neighbours(one.word, other.word)
      from unnest(words) with ordinality as one (word, at)
      join unnest(words) with ordinality as other (word, at) on one.at < other.at);

  -- In the order in which they are asked.
  create function search_words_of(given text) returns text[] language sql immutable strict parallel safe
    return array(select lexeme from unnest(search_vector(search_text(given))) word order by word.positions[1], lexeme);

  create function search_tags(hosts uuid[]) returns text[] language sql immutable strict parallel safe
    return array(select distinct left(host::text, 8) from unnest(hosts) host);

  -- The words that the index knows and that look most like this one.
  create function search_words_like(asked text[]) returns text[] language sql stable
    set pg_trgm.similarity_threshold = 0.35
  as $$
    select coalesce(array_agg(distinct alike.word), '{}')
    from unnest(asked) as given
    cross join lateral (
      select word from search_words where word % given and length(given) >= 3
      order by similarity(word, given) desc, word limit 8
    ) alike
  $$;

  -- Those whose phone ends in these digits.
  create function search_phones_ending(hosts uuid[], endings text[], most integer) returns setof tid
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
`;
