/** Trigger functions keep their triggers. */
const renamed = {
  demand_answered_in_time: 'reject_late_answer',
  keep_nothing: 'ignore_insert',
  keep_search_words: 'store_search_words',
  keep_words: 'store_words',
  mark_service: 'set_opens_service',
  note_messages: 'add_message_deltas',
};

const pairs = Object.entries(renamed).map(([was, now]) => `('${was}', '${now}')`);

/**
 * Drops SQL functions whose name, or a parameter, is another now: the release creates the present ones afterwards, in
 * the same transaction. Names that running processes call stay, and so do their results. `fold_report_deltas` stays for
 * the workers of the previous version.
 */
export const plainFunctionNames = `
  drop function if exists
    search_look(text[], text[], integer), search_look_among(text[], text[], text[], integer),
    search_common(text[], text[], integer), search_marked(text, text[]), search_marked_beside(text, text[]),
    search_neighbours_of(text[]), search_pairs_of(text[]), search_phones_ending(uuid[], text[], integer),
    search_steps(text[]), search_beside(text[], text[], integer, integer, boolean),
    search_best(text[], text[], text[], integer, text), search_holding(text[], text[], integer, text),
    search_holding_any(text[], text[], integer, integer),
    search_asked_for(text, text, text, text[]), search_spans(text), search_spans_alike(text, text[]),
    search_placed(tid[], tid[], uuid[], search_asked), search_likeness(search_asked, text, tsvector),
    search_scored(tid[], tid[], uuid[], search_asked, float8, integer, integer),
    search_ranked(tid[], tid[], uuid[], tsquery, integer, integer),
    search_fulltext(text, text, integer, integer), search_hybrid(text, text, text, text[], integer, integer),
    search_similar(text, float8, integer, integer), search_phone_ids(uuid[], text, text, integer),
    search_phones(text, text, integer, integer),
    search_words_of(text), search_words_like(text[]), search_telling_trigrams(text),
    any_word_query(text), all_words_query(text),
    search_text(text), normalize_in_pieces(text), normalize_long_word(text),
    words_of(text), known_stems(uuid, uuid, uuid[], text[], integer), is_meant_for(jsonb, jsonb),
    readable_datasets_of(uuid, uuid, uuid[]),
    chunk_candidates(uuid, uuid, uuid[], jsonb, text[], text[], real[], integer),
    local_day(timestamptz, text), is_after_hours(timestamptz, text, bit);

  alter type search_asked rename to search_query;
  alter type search_query rename attribute query to text;
  alter type search_query rename attribute alike to similar_words;

  do $$
  declare
    renamed record;
  begin
    for renamed in select * from (values ${pairs.join(', ')}) renamed (was, now) where to_regproc(was) is not null loop
      execute format('alter function %I() rename to %I', renamed.was, renamed.now);
    end loop;
  end $$;
`;
