import { belongsToHost } from './belongs-to-host.ts';

/** As alike as this a word has to be to be taken for a misspelt one: shared runs of three letters, of all that there are. */
const ALIKE = 0.35;

/*
 * The words that a host's records hold, to find what a misspelt one may mean. One list for all hosts told each of them
 * which words the others have, and who brought many words crowded out the help of everybody else.
 *
 * A word that is alike enough shares at least a third of the asked one's runs of letters. So as many of these, less
 * one, need not be looked up, and the commonest are left out: how a word begins, and how it ends.
 */
export const searchWordsOfHosts = `
  create table search_host_words (
    host_id uuid not null references hosts on delete cascade,
    word text collate "C" not null,
    primary key (host_id, word)
  );
  ${belongsToHost('search_host_words')}

  create function search_word_keys(host uuid, trigrams text[]) returns text[] language sql immutable strict parallel safe
    return array(select left(host::text, 8) || trigram from unnest(trigrams) trigram);

  create function search_telling_trigrams(word text) returns text[] language sql immutable strict parallel safe
    return array(
      select trigram from unnest(show_trgm(word)) trigram
      order by trigram = '  ' || left(word, 1) desc, trigram = ' ' || left(word, 2) desc,
        trigram = right(word, 2) || ' ' desc, trigram
      offset ceil(${ALIKE} * cardinality(show_trgm(word)))::integer - 1);

  -- The likest of each host of the transaction, the best of every host first: no host crowds out another.
  create or replace function search_words_like(asked text[]) returns text[] language sql stable
    set pg_trgm.similarity_threshold = ${ALIKE} set enable_seqscan = off
  as $$
    with hosts as materialized (select unnest(hosts_in_scope()) as host_id),
    alike as (
      select near.word, given, min(place) as place, max(likeness) as likeness
      from unnest(asked) given
      cross join hosts
      cross join lateral (
        select word, similarity(word, given) as likeness,
          row_number() over (order by similarity(word, given) desc, word) as place
        from (
          select known.host_id, word from search_host_words known
          where search_word_keys(known.host_id, show_trgm(word))
            && search_word_keys(hosts.host_id, search_telling_trigrams(given))
          -- Or all words of the host would be read too, to no end.
          offset 0
        ) known
        where known.host_id = hosts.host_id and word % given
        order by likeness desc, word limit 8
      ) near
      where length(given) >= 3
      group by near.word, given
    ), best as (
      select word, place, likeness, row_number() over (partition by given order by place, likeness desc, word) as nth
      from alike
    )
    select coalesce(array_agg(word order by place, likeness desc, word), '{}')
    from (
      select word, min(place) as place, max(likeness) as likeness from best
      where nth <= case (select count(*) from hosts) when 1 then 8 else 16 end
      group by word
    ) chosen
  $$;

  -- In one order, so that two writers seldom wait for each other in a ring.
  create function keep_search_words() returns trigger language plpgsql as $$
  begin
    insert into search_host_words (host_id, word)
    select host_id, word from (
      select distinct host_id, lexeme as word from written, unnest(tsvector_to_array(vector)) lexeme
      where lexeme ~ '^[[:alpha:]]{3,30}$'
    ) given
    where not exists (
      select from search_host_words known where known.host_id = given.host_id and known.word = given.word)
    order by 1, 2
    on conflict do nothing;
    return null;
  end $$;
  insert into search_host_words (host_id, word)
    select distinct host_id, lexeme from search_records, unnest(tsvector_to_array(vector)) lexeme
    where lexeme ~ '^[[:alpha:]]{3,30}$';
  -- A new word is only noted at first, and not many are: each look reads them all.
  create index search_host_words_alike on search_host_words using gin (search_word_keys(host_id, show_trgm(word)))
    with (fastupdate = on, gin_pending_list_limit = 256);
  create trigger keep_search_words after insert on search_records
    referencing new table as written for each statement execute function keep_search_words();
  create trigger keep_changed_search_words after update on search_records
    referencing new table as written for each statement execute function keep_search_words();

  -- An indexer of the version before may still write to the list of all hosts: it stays, and stays empty.
  truncate search_words;
  create function keep_nothing() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger keep_nothing before insert on search_words for each row execute function keep_nothing();
`;
