-- `search_keys` of a record gives the keys that the index has of it, each behind the first eight characters of its host: a mark and a
-- word for each number of times that the word occurs at least (1, 2, 3, 4 and 6; `a` for 10, `k` for 20), and a group for each two
-- words that stand side by side. A `search_query` is what was searched: its text, its words, both as queries of full text, the digits and
-- endings of a phone, and words of the index that are like its own. A `search_hit` is a record that was found, with its score, and
-- what that is made of: full text (`fts`), the likeness of its text (`content`) and of its phone. All three are in migration 0008.
--
-- A page has the same records whatever was requested before: later pages get more candidates after the earlier ones.
-- For the first 160 ranks about 400 candidates are read (full text without a CPF: 300), for later ones about 7,000 more;
-- only the first 160 ranks have similar records. The limits of searches by phone are in `search-phones.sql`.

create or replace function search_fulltext(query text, cpf text, max_rows integer, offset_rows integer, out total bigint,
  out is_estimate boolean, out hits search_hit[])
  language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path = public, pg_temp
  set enable_seqscan = off
as $$
declare
  hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
  tags constant text[] := search_tags(hosts);
  any_word constant tsquery := any_word_query(concat_ws(' ', search_text(query), cpf));
  words constant text[] := search_words_of(query);
  candidates record;
  first_ids tid[] := '{}';
  ids tid[] := '{}';
begin
  total := 0;
  is_estimate := false;
  hits := '{}';
  if cardinality(hosts) = 0 then return; end if;
  if cardinality(words) > 0 then
    select * into candidates from find_with_all_words(tags, words, 300, 'frequency');
    ids := candidates.ids;
    is_estimate := candidates.is_cut;
    total := candidates.total;
  end if;
  if cpf is not null then
    ids := array(select unnest(ids) union
      select unnest(cpf_candidates.ids) from find_with_all_words(tags, array[cpf], 400, 'frequency') cpf_candidates);
  end if;
  total := greatest(total, cardinality(ids));
  if is_estimate and max_rows + offset_rows > 160 then
    first_ids := array(select id from rank_candidates('{}', ids, hosts, any_word, 160, 0));
    ids := array(select unnest(ids) union
      select unnest(further_candidates.ids) from find_with_all_words(tags, words, 7000, 'frequency') further_candidates);
  end if;
  hits := array(
    select row(origin_table, origin_id, host_id, ranked_record.score, ranked_record.score, 0, 0, '{fts}'::text[], title,
      original, updated_at)::search_hit
    from rank_candidates(first_ids, ids, hosts, any_word, max_rows, offset_rows) ranked_record
    join search_records on ctid = ranked_record.id
    order by ranked_record.rank);
end $$;

create or replace function search_hybrid(query text, cpf text, digits text, endings text[], max_rows integer, offset_rows integer,
  out total bigint, out is_estimate boolean, out hits search_hit[])
  language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path = public, pg_temp
as $$
declare
  hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
  tags constant text[] := search_tags(hosts);
  parsed search_query := parse_search_query(query, cpf, digits, endings);
  candidates record;
  first_ids tid[] := '{}';
  ids tid[] := '{}';
begin
  total := 0;
  is_estimate := false;
  hits := '{}';
  if cardinality(hosts) = 0 then return; end if;
  if cardinality(parsed.words) > 0 then
    select * into candidates from find_with_any_word(tags, parsed.words, 400, 200);
    ids := candidates.ids;
    is_estimate := candidates.is_cut;
  end if;
  if cardinality(endings) > 0 then
    ids := array(select unnest(ids) union select search_phones_ending(hosts, endings, 400));
  end if;
  total := cardinality(ids);
  if is_estimate then total := greatest(total, search_count_any(tags, parsed.words)); end if;
  if is_estimate and max_rows + offset_rows > 160 then
    first_ids := array(select id from order_candidates('{}', ids, hosts, parsed) where rank <= 160);
    ids := array(select unnest(ids) union
      select unnest(further_candidates.ids) from find_with_any_word(tags, parsed.words, 7000, 11000) further_candidates);
  end if;
  if cardinality(ids) < max_rows + offset_rows then
    parsed.similar_words := search_words_like(parsed.words);
    if cardinality(parsed.similar_words) > 0 then
      select * into candidates from find_with_any_word(tags, parsed.similar_words, 400, 1000000);
      ids := array(select unnest(ids) union select unnest(candidates.ids));
      -- Of the records with a similar word, those that are not similar to the whole query are not shown.
      is_estimate := is_estimate or cardinality(ids) > total;
      total := greatest(total, cardinality(ids));
    end if;
  end if;
  hits := array(select hit from score_page(first_ids, ids, hosts, parsed, 0.3, max_rows, offset_rows) hit);
end $$;

create or replace function search_similar(query text, threshold float8, max_rows integer, offset_rows integer,
  out total bigint, out is_estimate boolean, out hits search_hit[])
  language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path = public, pg_temp
as $$
declare
  hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
  tags constant text[] := search_tags(hosts);
  parsed search_query := parse_search_query(query, null, null, '{}');
  candidates record;
  ids tid[] := '{}';
begin
  total := 0;
  is_estimate := false;
  hits := '{}';
  if cardinality(hosts) = 0 then return; end if;
  if cardinality(parsed.words) > 0 then
    select * into candidates from find_with_any_word(tags, parsed.words, 400, 200);
    ids := candidates.ids;
    is_estimate := candidates.is_cut;
    if cardinality(ids) < 200 then
      parsed.similar_words := search_words_like(parsed.words);
      select * into candidates from find_with_any_word(tags, parsed.similar_words, 400, 1000000);
      ids := array(select unnest(ids) union select unnest(candidates.ids));
      is_estimate := is_estimate or candidates.is_cut;
    end if;
  end if;
  hits := array(
    select row(origin_table, origin_id, host_id, content, fts, content, 0, '{trigram}'::text[], title, original,
      updated_at)::search_hit
    from score_page('{}', ids, hosts, parsed, threshold, 160, 0)
    where content >= threshold
    order by content desc, updated_at desc, origin_id);
  total := cardinality(hits);
  is_estimate := is_estimate or total >= 160;
  hits := hits[offset_rows + 1 : offset_rows + max_rows];
end $$;
