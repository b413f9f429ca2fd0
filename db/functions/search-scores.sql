create or replace function search_asked_for(asked text, cpf text, digits text, endings text[]) returns search_asked
  language sql stable
  return row(search_text(asked), search_words_of(concat_ws(' ', asked, cpf)),
    any_word_query(concat_ws(' ', search_text(asked), cpf)), all_words_query(search_text(asked)), digits, endings, '{}'
  )::search_asked;

-- Sequences of words of the query, longer and shorter, and pairs in any order; the most similar to the query first.
create or replace function search_spans(query text, out texts text[], out likenesses real[])
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
  ) most_similar
$$;

-- Words of a text may have other endings than in the index.
create or replace function search_spans_alike(query text, alike text[], out texts text[], out likenesses real[])
  language sql immutable parallel safe
as $$
  select array_agg(' ' || word order by likeness desc, word), array_agg(likeness order by likeness desc, word)
  from (select word, word_similarity(query, word) as likeness from unnest(alike) word) alike
$$;

-- The candidates in their order: those of `ahead` first, and last those that match replacements of misspelt words only.
create or replace function search_placed(ahead tid[], others tid[], hosts uuid[], asked search_asked)
  returns table (id tid, fts real, phone real, span real, place bigint)
  language sql stable set enable_seqscan = off
as $$
  with ranked as materialized (
    select id, fts, phone, updated_at, origin_id,
      -- A record with each word once has the rank 0.378; a lower rank means that a word is missing.
      case when fts > 0.37 then least(ts_rank_cd('{1,1,1,1}', vector, asked.all_words), 0.9) else 0 end as nearness,
      coalesce((
        select likeness
        from unnest(
          case when fts > 0 then spans.texts else alike.texts end,
          case when fts > 0 then spans.likenesses else alike.likenesses end) span (text, likeness)
        where strpos(padded, text) > 0 limit 1), 0) as span
    from (
      select ctid as id, ts_rank('{1,1,1,1}', vector, asked.any_word, 32) as fts, vector,
        coalesce(similarity(reverse(phone), reverse(asked.digits)), 0) as phone, updated_at, origin_id,
        case when octet_length(content) < 8000 then ' ' || content || ' ' end as padded
      from search_records
      where ctid = any (ahead || others) and host_id = any (hosts)
      offset 0
    ) record, search_spans(asked.query) spans, search_spans_alike(asked.query, asked.alike) alike
  )
  select id, fts, phone, span, row_number() over (
    order by id = any (ahead) desc, fts > 0 or phone > 0 desc,
      0.7 * fts + 0.3 * greatest(span + (1 - span) * nearness, phone) desc, updated_at desc, origin_id)
  from ranked
$$;

-- A long text is compared only around the words of the query: all of it would take tens of milliseconds. The result is the
-- same, or lower if the most similar part is elsewhere.
create or replace function search_likeness(asked search_asked, content text, vector tsvector) returns real
  language sql stable
as $$
  select case
    when octet_length(content) < 8000 then word_similarity(asked.query, content)
    when strpos(' ' || content || ' ', ' ' || asked.query || ' ') > 0 then 1
    else coalesce((
      select max(word_similarity(asked.query, array_to_string(words[greatest(position - 8, 1) : position + 8], ' ')))
      from (select string_to_array(content, ' ') as words offset 0) text, unnest(vector) word,
        unnest(word.positions[: 12]) position
      where word.lexeme = any (asked.words || asked.alike)
    ), 0)
  end
$$;

-- Scores the candidates of a page by the formula. They are sorted by score within groups of 80, so that no page repeats or skips
-- what another one shows.
create or replace function search_scored(
  ahead tid[], others tid[], hosts uuid[], asked search_asked, least_content float8, most integer, skip integer
) returns setof search_hit language sql stable
  set enable_seqscan = off
as $$
  with scored as (
    select record.origin_table, record.origin_id, record.host_id, placed.fts, likeness.content, placed.phone,
      record.title, record.original, record.updated_at, (placed.place - 1) / 80 as page_group,
      0.7 * placed.fts::float8 + 0.3 * greatest(likeness.content, placed.phone)::float8 as score,
      array_remove(array[
        case when placed.fts > 0 then 'fts' end,
        case when likeness.content >= least_content then 'trigram' end,
        case when exists (
          select from unnest(asked.endings) ending
          where reverse(record.phone) like reverse(ending) || '%' or reverse(record.phone_key) like reverse(ending) || '%'
        ) then 'phone' end], null) as matched_by
    from search_placed(ahead, others, hosts, asked) placed
    join search_records record on record.ctid = placed.id
    cross join lateral (
      -- A maximal similarity need not be computed, which would cost a hundred times as much (not for a replaced misspelt
      -- word, whose span only matches its beginning). Without the offset it would be computed three times.
      select case when placed.fts > 0 and placed.span = 1 then 1 else search_likeness(asked, record.content, record.vector) end as content
      offset 0
    ) likeness
    where (placed.place - 1) / 80 between skip / 80 and (skip + most - 1) / 80
  ), numbered as (
    select *, skip / 80 * 80 + row_number() over (
      order by page_group, score desc, updated_at desc, origin_id) as at
    from scored
  )
  select origin_table, origin_id, host_id, score, fts, content, phone, matched_by, title, original, updated_at
  from numbered
  where at > skip and at <= skip + most and matched_by <> '{}'
  order by at
$$;

create or replace function search_ranked(ahead tid[], others tid[], hosts uuid[], any_word tsquery, most integer, skip integer)
  returns table (id tid, rank float8, place bigint) language sql stable set enable_seqscan = off
as $$
  select id, rank, row_number() over best from (
    select ctid as id, ts_rank('{1,1,1,1}', vector, any_word, 32)::float8 as rank, updated_at, origin_id
    from search_records where ctid = any (ahead || others) and host_id = any (hosts)
  ) ranked
  window best as (order by id = any (ahead) desc, rank desc, updated_at desc, origin_id)
  order by 3 limit most offset skip
$$;
