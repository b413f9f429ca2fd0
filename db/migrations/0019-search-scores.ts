/*
 * What holds half of a question side by side is nearly as like it as what holds all of its words far apart. So spans of
 * the question are looked for in the candidates before their letters are compared.
 */
export const searchScores = `
  -- The words of a query as they stand in it, more of them or fewer, and two in any order; the likest to the query first.
  create function search_spans(query text, out texts text[], out likenesses real[])
    language sql immutable parallel safe
  as $$
    select array_agg(' ' || span || ' ' order by likeness desc, span),
      array_agg(likeness order by likeness desc, span)
    from (
      select query as span, 1::real as likeness
      union
      (select span, word_similarity(query, span)
      from (select string_to_array(query, ' ') as words) asked,
        generate_series(1, least(cardinality(words), 8)) one, generate_series(1, least(cardinality(words), 8)) other,
        lateral (
          select words[one] || ' ' || words[other] as span where one <> other
          union
          select array_to_string(words[one : other], ' ') where one < other
        ) spans
      order by 2 desc limit 13)
    ) likest
  $$;

  -- Scores these candidates by the formula and gives the best. Comparing letters costs most, so it is done for those
  -- alone that rank, nearness of the words and the spans that they hold put in front; of long texts for fewer.
  create function search_scored(
    candidates tid[], hosts uuid[], query text, any_word tsquery, all_words tsquery, digits text, endings text[],
    least_content float8, most integer, skip integer
  ) returns setof search_hit language sql stable
    set enable_seqscan = off
  as $$
    with ranked as materialized (
      select id, ts_rank('{1,1,1,1}', vector, any_word, 32) as fts,
        coalesce(similarity(reverse(phone), reverse(digits)), 0) as phone,
        least(ts_rank_cd('{1,1,1,1}', vector, all_words), 0.9) as nearness,
        coalesce((
          select likeness from unnest(spans.texts, spans.likenesses) span (text, likeness)
          where strpos(padded, text) > 0 limit 1), 0) as span,
        size, updated_at, origin_id
      from (
        select ctid as id, vector, phone, updated_at, origin_id, octet_length(content) as size,
          case when octet_length(content) < 8000 then ' ' || content || ' ' end as padded
        from search_records
        where ctid = any (candidates) and host_id = any (hosts)
        offset 0
      ) record, search_spans(query) spans
    ), ordered as (
      select *, row_number() over best as place, sum(size) over best as read
      from ranked
      window best as (
        order by 0.7 * fts + 0.3 * greatest(span + (1 - span) * nearness, phone) desc, updated_at desc,
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
        -- What is as similar as can be need not be compared, at a hundred times the cost.
        select case when ordered.span = 1 then 1 else word_similarity(query, record.content) end as content
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
`;
