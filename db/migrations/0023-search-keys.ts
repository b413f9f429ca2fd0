/*
 * An index scan of this kind reads every record that holds a word before it gives the first: a third of a million for
 * the commonest. So one record in 256 has an index of its own, which tells in a hundredth of the time whether words are
 * common. Where they are, what ranks highest is read first and the rest only as far as it is needed. And words that
 * stand side by side weigh more than words that stand often: so the keys name neighbours too, in one of 4096 groups.
 */
const keys = `
  create function search_neighbours(one text, other text) returns text language sql immutable parallel safe
    return '~' || to_hex(hashtext(least(one, other) || ' ' || greatest(one, other)) & 4095);

  drop index search_records_keys;
  drop function search_keys;
  -- A record's words, each under its host and under every number of times that it is there at least; and its neighbours.
  create function search_keys(host uuid, vector tsvector) returns text[] language sql immutable parallel safe
    return array(
      select left(host::text, 8) || tier.mark || word.lexeme
      from unnest(vector) word
      cross join (values (1, '1'), (2, '2'), (3, '3'), (4, '4'), (6, '6'), (10, 'a'), (20, 'k')) tier (least, mark)
      where cardinality(word.positions) >= tier.least
      union all
      select distinct left(host::text, 8) || search_neighbours(lexeme, following)
      from (
        select lexeme, lead(lexeme) over (order by position) as following
        from unnest(vector) word, unnest(word.positions) position
      ) side_by_side
      where lexeme <> following
    );
  create index search_records_keys on search_records using gin (search_keys(host_id, vector));
  create index search_records_sampled on search_records using gin (search_keys(host_id, vector))
    where is_sampled(origin_id);

  -- In the order in which they are asked.
  create or replace function search_words_of(given text) returns text[] language sql immutable strict parallel safe
    return array(select lexeme from unnest(search_vector(search_text(given))) word order by word.positions[1], lexeme);
`;

const looks = `
  drop function search_look;
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

  -- Which of these hosts have too many such records to read them all, and about how many they are.
  create function search_common(given text[], keys text[], out tags text[], out total bigint)
    language sql stable set enable_seqscan = off
  as $$
    select coalesce(array_agg(tag), '{}'), coalesce(sum(256 * sampled), 0)
    from unnest(given) as tag
    cross join lateral (
      select count(*) as sampled from search_records
      where is_sampled(origin_id) and search_keys(host_id, vector) @> array(select tag || key from unnest(keys) key)
    ) sample
    where sampled >= 16
  $$;

  create function search_marked(mark text, words text[]) returns text[] language sql immutable parallel safe
    return array(select mark || word from unnest(words) word);

  create function search_neighbours_of(words text[]) returns text[] language sql immutable parallel safe
    return array(
      select search_neighbours(words[at], words[at + 1]) from generate_series(1, cardinality(words) - 1) at);

  create function search_pairs(words text[]) returns text[] language sql immutable parallel safe
    return array(
      select search_neighbours(words[one], words[other])
      from generate_series(1, cardinality(words)) one, generate_series(one + 1, cardinality(words)) other);

  -- How often each word is there, the steps that are worth a look: of many words few records hold all of them often.
  create function search_steps(words text[]) returns text[] language sql immutable parallel safe
    return case cardinality(words) when 1 then '{k,a,6,4,3,2,1}' when 2 then '{6,4,2,1}' else '{2,1}' end::text[];

  -- Of records that hold all the words those that rank highest, best first, until there are enough.
  create function search_best(tags text[], words text[], most integer) returns tid[]
    language plpgsql stable as $$
  declare
    share constant integer := greatest(most / cardinality(tags), 50);
    -- Of hosts with few records less comes than their share.
    enough constant integer := most / 2;
    neighbours constant text[] := search_neighbours_of(words);
    ids tid[] := '{}';
    mark text;
  begin
    if cardinality(words) > 1 then
      foreach mark in array search_steps(words) loop
        ids := array(
          select unnest(ids) union
          select id from search_look(tags, search_marked(mark, words) || neighbours, share));
        if cardinality(ids) >= enough then return ids; end if;
      end loop;
    end if;
    if cardinality(words) = 3 then
      foreach mark in array '{2,1}'::text[] loop
        exit when cardinality(ids) >= enough;
        ids := array(
          select unnest(ids) union
          select id from unnest(search_pairs(words)) pair, search_look(tags, search_marked(mark, words) || pair, share));
      end loop;
    end if;
    foreach mark in array search_steps(words) loop
      exit when cardinality(ids) >= enough;
      ids := array(
        select unnest(ids) union
        select id from search_look(tags, search_marked(mark, words), share));
    end loop;
    return ids;
  end $$;

  -- Records that hold all the words; the highest ranking of them where there are too many.
  create or replace function search_holding(
    tags text[], words text[], most integer, out ids tid[], out is_cut boolean, out total bigint
  ) language plpgsql stable as $$
  declare
    share constant integer := greatest(most / cardinality(tags), 50);
    ones constant text[] := search_marked('1', words);
    common text[];
    held record;
  begin
    ids := '{}';
    select * into common, total from search_common(tags, ones);
    for held in
      select look.tag, array_agg(look.id) as ids
      from search_look(array(select unnest(tags) except select unnest(common)), ones, share + 1) look
      group by look.tag
    loop
      ids := ids || held.ids;
      if cardinality(held.ids) > share then
        common := common || held.tag;
        total := total + search_estimate(held.ids);
      else
        total := total + cardinality(held.ids);
      end if;
    end loop;
    is_cut := cardinality(common) > 0;
    if not is_cut then return; end if;
    ids := array(select unnest(ids) union select unnest(search_best(common, words, 3 * most)));
    total := greatest(total, cardinality(ids));
  end $$;
`;

export const searchKeys = `${keys}${looks}`;
