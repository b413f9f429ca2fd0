/*
 * What holds half of a question side by side is nearly as like it as what holds all of its words far apart. So spans of
 * the question are looked for in the candidates before their letters are compared.
 */
export const searchScores = `
  -- Two words of a query side by side, or more in its order, and how like the query each such span is alone.
  create function search_spans(query text, out texts text[], out likenesses real[])
    language sql immutable parallel safe
  as $$
    select coalesce(array_agg(' ' || span || ' '), '{}'), coalesce(array_agg(likeness), '{}')
    from (
      select distinct span, word_similarity(query, span) as likeness
      from (select string_to_array(query, ' ') as words) asked,
        generate_series(1, least(cardinality(words), 8)) one, generate_series(1, least(cardinality(words), 8)) other,
        lateral (
          select words[one] || ' ' || words[other] as span where one <> other
          union
          select array_to_string(words[one : other], ' ') where one < other
        ) spans
      where span <> query
      order by likeness desc limit 12
    ) best
  $$;

  -- Scores these candidates by the formula and gives the best. Comparing letters costs most, so it is done for those
  -- alone that rank, nearness of the words and the spans that they hold put in front; of long texts for fewer.
  create or replace function search_scored(
    candidates tid[], hosts uuid[], query text, any_word tsquery, all_words tsquery, digits text, endings text[],
    least_content float8, most integer, skip integer
  ) returns setof search_hit language sql stable
    set enable_seqscan = off
  as $$
    with ranked as materialized (
      select ctid as id, ts_rank('{1,1,1,1}', vector, any_word, 32) as fts,
        coalesce(similarity(reverse(phone), reverse(digits)), 0) as phone,
        least(ts_rank_cd('{1,1,1,1}', vector, all_words), 0.9) as nearness,
        coalesce((
          select max(likeness) from unnest(spans.texts, spans.likenesses) span (text, likeness)
          where octet_length(content) < 8000 and strpos(' ' || content || ' ', text) > 0), 0) as span,
        -- Then it is as similar as can be, and that is all that comparing the letters would tell, at a hundredth of the cost.
        octet_length(content) < 8000 and strpos(' ' || content || ' ', ' ' || query || ' ') > 0 as holds,
        octet_length(content) as size, record.updated_at, record.origin_id
      from search_records record, search_spans(query) spans
      where ctid = any (candidates) and host_id = any (hosts)
    ), ordered as (
      select *, row_number() over best as place, sum(size) over best as read
      from ranked
      window best as (
        order by 0.7 * fts + 0.3 * greatest(case when holds then 1 else span + (1 - span) * nearness end, phone) desc, updated_at desc,
          origin_id)
    ), scored as (
      select record.origin_table, record.origin_id, record.host_id, ordered.fts, likeness.content, ordered.phone,
        record.title, record.original, record.updated_at,
        0.7 * ordered.fts::float8 + 0.3 * greatest(likeness.content, ordered.phone)::float8 as score,
        array_remove(array[
          case when ordered.fts > 0 then 'fts' end,
          case when likeness.content >= least_content then 'trigram' end,
          case when exists (
            select from unnest(endings) ending
            where reverse(record.phone) like reverse(ending) || '%' or reverse(record.phone_key) like reverse(ending) || '%'
          ) then 'phone' end], null) as matched_by
      from ordered
      join search_records record on record.ctid = ordered.id
      cross join lateral (
        select case when ordered.holds then 1 else word_similarity(query, record.content) end as content
      ) likeness
      where ordered.place <= most + skip
        or (ordered.place <= most + skip + 50 and ordered.read <= 100000)
    )
    select origin_table, origin_id, host_id, score, fts, content, phone, matched_by, title, original, updated_at
    from scored
    where matched_by <> '{}'
    order by score desc, updated_at desc, origin_id
    limit most offset skip
  $$;

  create or replace function search_hybrid(asked text, cpf text, digits text, endings text[], most integer, skip integer,
    out total bigint, out is_estimate boolean, out hits search_hit[])
    language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path from current
  as $$
  declare
    hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
    tags constant text[] := search_tags(hosts);
    query constant text := search_text(asked);
    words constant text[] := search_words_of(concat_ws(' ', asked, cpf));
    wide constant integer := case when most + skip <= 200 then 400 else 12000 end;
    look record;
    alike text[];
    ids tid[] := '{}';
  begin
    total := 0;
    is_estimate := false;
    hits := '{}';
    if cardinality(hosts) = 0 then return; end if;
    if cardinality(words) > 0 then
      select * into look from search_holding_any(tags, words, wide, greatest(200, most + skip));
      ids := look.ids;
      is_estimate := look.is_cut;
    end if;
    if cardinality(endings) > 0 then
      ids := array(select distinct unnest(ids || array(select search_phones_ending(hosts, endings, wide))));
    end if;
    if cardinality(ids) < most + skip then
      alike := search_words_like(words);
      if cardinality(alike) > 0 then
        select * into look from search_holding_any(tags, alike, wide, 1000000);
        ids := array(select distinct unnest(ids || look.ids));
        is_estimate := is_estimate or look.is_cut;
      end if;
    end if;
    hits := array(
      select hit from search_scored(ids, hosts, query, any_word_query(concat_ws(' ', query, cpf)),
        all_words_query(query), digits, endings, 0.3, most, skip) hit);
    total := cardinality(ids);
    if is_estimate then total := greatest(total, search_estimate(ids)); end if;
  end $$;
`;
