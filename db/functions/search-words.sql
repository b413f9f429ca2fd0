-- Ordering combining marks takes quadratic time, so a long run is normalized in pieces; a cut may separate a letter from its
-- mark.
create or replace function normalize_long_word(input text) returns text language sql immutable strict parallel safe
  return (
    -- Two steps, because finding a position in a text counts from its start.
    with block_of_input as materialized (
      select block_at, substr(input, block_at, 2048) as block
      from generate_series(1, length(input), 2048) block_at
    )
    select string_agg(normalize(substr(block, piece_at, 64), NFC), '' order by block_at, piece_at)
    from block_of_input cross join lateral generate_series(1, length(block), 64) piece_at
  );

-- Nothing combines with a space, so words can be normalized one by one.
create or replace function normalize_in_pieces(input text) returns text language sql immutable strict parallel safe
  return (
    select string_agg(
      case when length(word) <= 64 then normalize(word, NFC) else normalize_long_word(word) end, ' ' order by at)
    from unnest(string_to_array(input, ' ')) with ordinality words (word, at)
  );

-- Lower case, letters and digits only; accents stay. Invisible characters within a word do not split it. A single space is
-- not matched, because a match costs as much as a hundred letters, and normalizing a composed text ten times. All marks are
-- beyond U+024F.
create or replace function search_text(input text) returns text language sql immutable strict parallel safe
  return btrim(regexp_replace(
    lower(translate(
      case
        when input ~ '[^\x01-\u024f]{65}' then normalize_in_pieces(input)
        when input is nfc normalized then input
        else normalize(input, NFC)
      end, U&'\00AD\200B\200C\200D\2060\FEFF', '')),
    ' *[^[:alnum:] ][^[:alnum:]]*| {2,}', ' ', 'g'));

-- In the order of the query.
create or replace function search_words_of(input text) returns text[] language sql immutable strict parallel safe
  return array(select lexeme from unnest(search_vector(search_text(input))) word order by word.positions[1], lexeme);

-- Matches texts with any word: a passage rarely contains all words of the question that it answers.
create or replace function any_word_query(input text) returns tsquery language sql immutable strict parallel safe
  return (
    select coalesce(string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', '|'), '')
    from unnest(search_vector(input))
  )::tsquery;

-- Matches texts with all words; nothing, if the text has only stop words.
create or replace function all_words_query(input text) returns tsquery language sql immutable strict parallel safe
  return (
    select coalesce(string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', '&'), '')
    from unnest(search_vector(input))
    -- The parser takes two dots at the start of a text for a file name.
    where lexeme ~ '[[:alnum:]]'
  )::tsquery;

create or replace function selective_trigrams(word text) returns text[] language sql immutable strict parallel safe
  return array(
    select trigram from unnest(show_trgm(word)) trigram
    order by trigram = '  ' || left(word, 1) desc, trigram = ' ' || left(word, 2) desc,
      trigram = right(word, 2) || ' ' desc, trigram
    offset ceil(0.35 * cardinality(show_trgm(word)))::integer - 1);

-- The most similar words of each host of the transaction, the best of every host first, so that no host displaces another.
create or replace function search_words_like(words text[]) returns text[] language sql stable set enable_seqscan = off
as $$
  with scope_host as materialized (select unnest(hosts_in_scope()) as host_id),
  similar_word as (
    select near_word.word, query_word, min(host_rank) as host_rank, max(likeness) as likeness
    from unnest(words) query_word
    cross join scope_host
    cross join lateral (
      select word, similarity(word, query_word) as likeness,
        row_number() over (order by similarity(word, query_word) desc, word) as host_rank
      from (
        select known_word.host_id, word from search_host_words known_word
        where search_word_keys(known_word.host_id, show_trgm(word))
          && search_word_keys(scope_host.host_id, selective_trigrams(query_word))
        -- Otherwise all words of the host would be read, too.
        offset 0
      ) known_word
      where known_word.host_id = scope_host.host_id and similarity(word, query_word) >= 0.35::real
      order by likeness desc, word limit 8
    ) near_word
    where length(query_word) >= 3
    group by near_word.word, query_word
  ), ranked_word as (
    select word, host_rank, likeness, row_number() over (partition by query_word order by host_rank, likeness desc, word) as nth
    from similar_word
  )
  select coalesce(array_agg(word order by host_rank, likeness desc, word), '{}')
  from (
    select word, min(host_rank) as host_rank, max(likeness) as likeness from ranked_word
    where nth <= case (select count(*) from scope_host) when 1 then 8 else 16 end
    group by word
  ) best_word
$$;

-- In one order, so that deadlocks between two writers are rare.
create or replace function store_search_words() returns trigger language plpgsql as $$
begin
  -- A word that is in the list is not deleted until this commits: see db/search/words.ts.
  perform pg_advisory_xact_lock_shared(hashtextextended('search words ' || host_id, 0))
  from (select distinct host_id from written order by 1) written_host;
  insert into search_host_words (host_id, word)
  select host_id, word from (
    select distinct host_id, lexeme as word from written, unnest(tsvector_to_array(vector)) lexeme
    where lexeme ~ '^[[:alpha:]]{3,30}$'
  ) new_word
  where not exists (
    select from search_host_words known_word
    where known_word.host_id = new_word.host_id and known_word.word = new_word.word)
  order by 1, 2
  on conflict do nothing;
  return null;
end $$;
