-- The marks to search by, that is the minimum numbers of occurrences in the keys of the index (`search_keys`): 1 to 6, `a` for 10
-- and `k` for 20. With many words, few records contain all of them often.
create or replace function search_steps(words text[]) returns text[] language sql immutable parallel safe
  return case cardinality(words) when 1 then '{k,a,6,4,3,2,1}' when 2 then '{6,4,2,1}' else '{4,2,1}' end::text[];

-- Of records with all words: those with the words adjacent, then those with two of three adjacent.
create or replace function search_beside(tags text[], words text[], share integer, enough integer, as_whole boolean) returns tid[]
  language plpgsql stable as $$
declare
  ids tid[] := '{}';
  mark text;
begin
  foreach mark in array case cardinality(words) when 2 then '{4,2,1}' else '{1}' end::text[] loop
    exit when cardinality(ids) >= enough;
    ids := array(
      select unnest(ids) union
      select id from search_look(tags, search_marked_beside(mark, words) || search_neighbours_of(words), share));
  end loop;
  if cardinality(words) <> 3 or not as_whole then return ids; end if;
  foreach mark in array '{2,1}'::text[] loop
    exit when cardinality(ids) >= enough;
    ids := array(
      select unnest(ids) union
      select id from search_look_among(tags, search_marked(mark, words), search_pairs_of(words), 2 * share));
  end loop;
  return ids;
end $$;

-- Of records with all words: those with the highest rank, best first, until there are enough. Records with each word only
-- once are searched only in hosts that were not read yet.
create or replace function search_best(tags text[], unread text[], words text[], most integer, ranking text) returns tid[]
  language plpgsql stable as $$
declare
  share constant integer := greatest(most / cardinality(tags), 50);
  -- Hosts with few records give less than their share.
  enough constant integer := most / 2;
  ids tid[] := '{}';
  mark text;
begin
  if ranking <> 'often' and cardinality(words) > 1 then
    ids := search_beside(tags, words, share, enough, ranking = 'whole');
  end if;
  foreach mark in array search_steps(words) loop
    exit when cardinality(ids) >= enough;
    ids := array(
      select unnest(ids) union
      select id from search_look(case when mark = '1' then unread else tags end, search_marked(mark, words), share));
  end loop;
  return ids;
end $$;

-- Records with all words. If there are too many, those with the highest rank: by frequency only ('often'), or also by
-- proximity, if the words are the 'whole' query or a 'part' of it.
create or replace function search_holding(
  tags text[], words text[], most integer, ranking text, out ids tid[], out is_cut boolean, out total bigint
) language plpgsql stable as $$
declare
  share constant integer := greatest(most / cardinality(tags), 50);
  occurrence_keys constant text[] := search_marked('1', words);
  common_tags text[];
  -- Hosts of which only some records were read.
  partial_tags text[] := '{}';
  candidates record;
begin
  ids := '{}';
  select * into common_tags, total from search_common(tags, occurrence_keys, share);
  for candidates in
    select candidate.tag, array_agg(candidate.id) as ids
    from search_look(array(select unnest(tags) except select unnest(common_tags)), occurrence_keys, share + 1) candidate
    group by candidate.tag
  loop
    ids := ids || candidates.ids;
    if cardinality(candidates.ids) > share then
      partial_tags := partial_tags || candidates.tag;
      total := total + search_estimate(candidates.ids);
    else
      total := total + cardinality(candidates.ids);
    end if;
  end loop;
  is_cut := cardinality(common_tags || partial_tags) > 0;
  if not is_cut then return; end if;
  ids := array(select unnest(ids) union select unnest(search_best(common_tags || partial_tags, common_tags, words, 3 * most, ranking)));
  total := greatest(total, cardinality(ids));
end $$;

-- Records with any of the words: those with more of them first, until there are enough.
create or replace function search_holding_any(
  tags text[], words text[], most integer, enough integer, out ids tid[], out is_cut boolean
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
    select * into candidates from search_holding(tags, words, most, 'whole');
    ids := candidates.ids;
    is_cut := candidates.is_cut;
    if cardinality(ids) >= enough then
      is_cut := true;
      return;
    end if;
  end if;
  if size between 3 and 6 then
    for at in 1 .. size loop
      select * into candidates from search_holding(tags, words[: at - 1] || words[at + 1 :], most / 2, 'part');
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
        select * into candidates from search_holding(tags, array[words[at], words[other]], most / 4, 'part');
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
    select * into candidates from search_holding(tags, array[words[at]], most, 'part');
    ids := ids || candidates.ids;
    is_cut := is_cut or candidates.is_cut;
  end loop;
  ids := array(select distinct unnest(ids));
  is_cut := is_cut or size > 16;
end $$;
