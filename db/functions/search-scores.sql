create or replace function parse_search_query(input text, cpf text, digits text, endings text[]) returns search_query
  language sql stable
  return row(search_text(input), search_words_of(concat_ws(' ', input, cpf)),
    any_word_query(concat_ws(' ', search_text(input), cpf)), all_words_query(search_text(input)), digits, endings, '{}'
  )::search_query;

-- Sequences of words of the query, longer and shorter, and pairs in any order; the most similar to the query first.
create or replace function query_ngrams(query_text text, out texts text[], out likenesses real[])
  language sql immutable parallel safe
as $$
  select array_agg(' ' || ngram || ' ' order by likeness desc, ngram),
    array_agg(likeness order by likeness desc, ngram)
  from (
    select query_text as ngram, 1::real as likeness
    union
    (select ngram, word_similarity(query_text, ngram)
    from (select string_to_array(query_text, ' ') as words) query_words,
      generate_series(1, least(cardinality(words), 8)) one, generate_series(1, least(cardinality(words), 8)) other,
      lateral (
        select words[one] || ' ' || words[other] as ngram where one <> other
        union
        select array_to_string(words[one : other], ' ') where one < other
      ) ngrams
    order by 2 desc limit 13)
  ) similar_ngram
$$;

-- Words of a text may have other endings than in the index.
create or replace function replacement_ngrams(query_text text, similar_words text[], out texts text[], out likenesses real[])
  language sql immutable parallel safe
as $$
  select array_agg(' ' || word order by likeness desc, word), array_agg(likeness order by likeness desc, word)
  from (select word, word_similarity(query_text, word) as likeness from unnest(similar_words) word) compared_word
$$;

-- The candidates in their order: `first_ids` first, and last the ones that match replacements of misspelt words only.
create or replace function order_candidates(first_ids tid[], other_ids tid[], hosts uuid[], query search_query)
  returns table (id tid, fts real, phone real, content real, rank bigint)
  language sql stable set enable_seqscan = off
as $$
  with ranked_candidate as materialized (
    select id, fts, phone_likeness, updated_at, origin_id,
      -- A record with each word once has the rank 0.378; a lower rank means that a word is missing.
      case when fts > 0.37 then least(ts_rank_cd('{1,1,1,1}', vector, query.all_words), 0.9) else 0 end as nearness,
      coalesce((
        select likeness
        from unnest(
          case when fts > 0 then query_ngram.texts else replacement_ngram.texts end,
          case when fts > 0 then query_ngram.likenesses else replacement_ngram.likenesses end) ngram (text, likeness)
        where strpos(padded, ngram.text) > 0 limit 1), 0) as text_likeness
    from (
      select ctid as id, ts_rank('{1,1,1,1}', vector, query.any_word, 32) as fts, vector,
        coalesce(similarity(reverse(phone), reverse(query.digits)), 0) as phone_likeness, updated_at, origin_id,
        case when octet_length(content) < 8000 then ' ' || content || ' ' end as padded
      from search_records
      where ctid = any (first_ids || other_ids) and host_id = any (hosts)
      offset 0
    ) record, query_ngrams(query.text) query_ngram,
      replacement_ngrams(query.text, query.similar_words) replacement_ngram
  )
  select id, fts, phone_likeness, text_likeness, row_number() over (
    order by id = any (first_ids) desc, fts > 0 or phone_likeness > 0 desc,
      0.7 * fts + 0.3 * greatest(text_likeness + (1 - text_likeness) * nearness, phone_likeness) desc, updated_at desc, origin_id)
  from ranked_candidate
$$;

-- A long text is compared only around the words of the query: all of it would take tens of milliseconds. The result is the
-- same, or lower if the most similar part is elsewhere.
create or replace function search_likeness(query search_query, content text, vector tsvector) returns real
  language sql stable
as $$
  select case
    when octet_length(content) < 8000 then word_similarity(query.text, content)
    when strpos(' ' || content || ' ', ' ' || query.text || ' ') > 0 then 1
    else coalesce((
      select max(word_similarity(query.text, array_to_string(words[greatest(position - 8, 1) : position + 8], ' ')))
      from (select string_to_array(content, ' ') as words offset 0) text, unnest(vector) word,
        unnest(word.positions[: 12]) position
      where word.lexeme = any (query.words || query.similar_words)
    ), 0)
  end
$$;

-- Scores the candidates of a page by the formula. They are sorted by score within groups of 80, so that no page repeats or skips
-- what another one shows.
create or replace function score_page(
  first_ids tid[], other_ids tid[], hosts uuid[], query search_query, least_content float8, max_rows integer, offset_rows integer
) returns setof search_hit language sql stable
  set enable_seqscan = off
as $$
  with scored_record as (
    select record.origin_table, record.origin_id, record.host_id, candidate.fts,
      compared_text.likeness as text_likeness, candidate.phone as phone_likeness, record.title, record.original, record.updated_at, (candidate.rank - 1) / 80 as page_group,
      0.7 * candidate.fts::float8 + 0.3 * greatest(compared_text.likeness, candidate.phone)::float8 as score,
      array_remove(array[
        case when candidate.fts > 0 then 'fts' end,
        case when compared_text.likeness >= least_content then 'trigram' end,
        case when exists (
          select from unnest(query.endings) ending
          where reverse(record.phone) like reverse(ending) || '%' or reverse(record.phone_key) like reverse(ending) || '%'
        ) then 'phone' end], null) as matched_by
    from order_candidates(first_ids, other_ids, hosts, query) candidate
    join search_records record on record.ctid = candidate.id
    cross join lateral (
      -- A maximal similarity need not be computed, which would cost a hundred times as much (not for a replaced misspelt
      -- word, whose n-gram only matches its beginning). Without the offset it would be computed three times.
      select case when candidate.fts > 0 and candidate.content = 1 then 1
        else search_likeness(query, record.content, record.vector) end as likeness
      offset 0
    ) compared_text
    where (candidate.rank - 1) / 80 between offset_rows / 80 and (offset_rows + max_rows - 1) / 80
  ), numbered_record as (
    select *, offset_rows / 80 * 80 + row_number() over (
      order by page_group, score desc, updated_at desc, origin_id) as at
    from scored_record
  )
  select origin_table, origin_id, host_id, score, fts, text_likeness, phone_likeness, matched_by, title, original,
    updated_at
  from numbered_record
  where at > offset_rows and at <= offset_rows + max_rows and matched_by <> '{}'
  order by at
$$;

create or replace function rank_candidates(first_ids tid[], other_ids tid[], hosts uuid[], any_word tsquery, max_rows integer, offset_rows integer)
  returns table (id tid, score float8, rank bigint) language sql stable set enable_seqscan = off
as $$
  select id, score, row_number() over best_first from (
    select ctid as id, ts_rank('{1,1,1,1}', vector, any_word, 32)::float8 as score, updated_at, origin_id
    from search_records where ctid = any (first_ids || other_ids) and host_id = any (hosts)
  ) rated_record
  window best_first as (order by id = any (first_ids) desc, score desc, updated_at desc, origin_id)
  order by 3 limit max_rows offset offset_rows
$$;
