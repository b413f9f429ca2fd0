/*
 * The hard part: the best thirty of a million records in a few milliseconds, when the words that are asked for may stand
 * in a third of them. Three things make it possible.
 *
 * - A record's rank for a word is a function of how often it holds the word and of nothing else (\`ts_rank\` with equal
 *   weights, flag 32). The keys of the index say that number in steps, so the records that rank highest are read off.
 * - A record that holds more of the words outranks one that holds fewer. So words are asked for all together first,
 *   then all but one, then in pairs, then alone, and no further once enough are found.
 * - Each look takes no more than so many records a host. Where one was cut short, the looks for higher numbers of
 *   times come beside it; so what is left out is what ranks lower.
 *
 * What is found that way are candidates. Their scores are then the formula's to the letter.
 */
export const searchCandidates = `
  -- Records of these hosts in which each word stands at least as often as its mark says.
  create function search_look(tags text[], words text[], marks text[], most integer) returns setof tid
    language sql stable set enable_seqscan = off
  as $$
    select ids.id
    from unnest(tags) as tag
    cross join lateral (
      select ctid as id from search_records
      where search_keys(host_id, vector) @> array(
        select tag || mark || word from unnest(words, marks) as wanted (word, mark)
      )
      limit most
    ) ids
  $$;

  -- How many there are of which these were met first, in the order in which the table has them.
  create function search_estimate(ids tid[]) returns bigint language sql stable
  as $$
    select ceil(cardinality(ids) * (pg_relation_size('search_records') / 8192.0)
      / (1 + (select max((id::text::point)[0]) from unnest(ids) id)))::bigint
  $$;

  -- Records that hold all the words; the highest ranking of them where there are too many.
  create function search_holding(
    tags text[], words text[], most integer, out ids tid[], out is_cut boolean, out total bigint
  ) language plpgsql stable as $$
  declare
    share constant integer := greatest(most / cardinality(tags), 50);
    ones constant text[] := array_fill('1'::text, array[cardinality(words)]);
    mark text;
    at integer;
  begin
    ids := array(select search_look(tags, words, ones, share + 1));
    is_cut := cardinality(ids) > share;
    total := cardinality(ids);
    if not is_cut then return; end if;
    total := greatest(total, search_estimate(ids));
    foreach mark in array '{a,6,4,3,2}'::text[] loop
      ids := ids || array(
        select search_look(tags, words, array_fill(mark, array[cardinality(words)]), share));
      exit when cardinality(ids) > 3 * most;
    end loop;
    if cardinality(words) between 2 and 4 then
      for at in 1 .. cardinality(words) loop
        ids := ids || array(
          select search_look(tags, words, ones[: at - 1] || '4'::text || ones[at + 1 :], share / 2));
      end loop;
    end if;
    ids := array(select distinct unnest(ids));
  end $$;

  -- Records that hold any of the words: those that hold more of them first, until there are enough.
  create function search_holding_any(
    tags text[], words text[], most integer, enough integer, out ids tid[], out is_cut boolean
  ) language plpgsql stable as $$
  declare
    size constant integer := cardinality(words);
    held integer;
    look record;
    at integer;
    other integer;
  begin
    ids := '{}';
    is_cut := false;
    if size > 1 then
      select * into look from search_holding(tags, words, most);
      ids := look.ids;
      is_cut := look.is_cut;
      if cardinality(ids) >= enough then
        is_cut := true;
        return;
      end if;
    end if;
    if size between 3 and 6 then
      for at in 1 .. size loop
        select * into look from search_holding(tags, words[: at - 1] || words[at + 1 :], most);
        ids := ids || look.ids;
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
          select * into look from search_holding(tags, array[words[at], words[other]], most / 2);
          ids := ids || look.ids;
        end loop;
      end loop;
      ids := array(select distinct unnest(ids));
      if cardinality(ids) >= enough then
        is_cut := true;
        return;
      end if;
    end if;
    for at in 1 .. least(size, 16) loop
      select * into look from search_holding(tags, array[words[at]], most);
      ids := ids || look.ids;
      is_cut := is_cut or look.is_cut;
    end loop;
    ids := array(select distinct unnest(ids));
    is_cut := is_cut or size > 16;
  end $$;

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

  create function search_words_of(given text) returns text[] language sql immutable strict parallel safe
    return tsvector_to_array(search_vector(search_text(given)));

  create function search_tags(hosts uuid[]) returns text[] language sql immutable strict parallel safe
    return array(select distinct left(host::text, 8) from unnest(hosts) host);

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
