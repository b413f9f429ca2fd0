import { declareTriggerFunctions } from './declare-trigger-functions.ts';

/** Characters of a record that are searched. A vector has a size limit, within which every word of them fits. */
const MAX_TEXT = 100_000;

/** What is indexed of each record. The functions that they call are declared here, with their bodies in db/functions. */
const sources = `
  create function search_phone(given text) returns text language sql immutable strict parallel safe
    return null::text;
  create function search_hash(title text, original text, phone text, updated_at timestamptz) returns bigint
    language sql immutable parallel safe return null::bigint;

  create view conversations_to_search with (security_invoker = true) as
    select *, search_hash(title, original, phone_given, updated_at) as hash from (
      select conversation.host_id, conversation.id as origin_id, conversation.updated_at,
        coalesce(nullif(conversation.user_name, ''), conversation.main_topic) as title,
        left(concat_ws(' | ', nullif(conversation.user_name, ''), nullif(conversation.main_topic, ''),
          nullif(conversation.dialogue_summary, ''),
          (
            select nullif(right(string_agg(content, ' ' order by seq), 65536), '')
            from (
              select seq, content, sum(octet_length(content)) over (order by seq desc) as bytes
              from messages message
              where message.host_id = conversation.host_id and message.conversation_id = conversation.id
            ) dialogue
            where bytes - octet_length(content) < 65536
          ),
          nullif(array_to_string(conversation.categories, ', '), '')), ${MAX_TEXT}) as original,
        case when search_phone(conversation.wpp_id) is null then contact.phone else conversation.wpp_id end
          as phone_given
      from conversations conversation
      left join contacts contact
        on contact.host_id = conversation.host_id and contact.id = conversation.contact_id
    ) conversation;

  create view leads_to_search with (security_invoker = true) as
    select *, search_hash(title, original, phone_given, updated_at) as hash from (
      select lead.host_id, lead.id as origin_id, lead.updated_at,
        coalesce(nullif(full_name, ''), lead.dealname) as title,
        left(concat_ws(' | ', nullif(full_name, ''), coalesce(nullif(lead.email, ''), contact.email),
          nullif(lead.cpf, ''), search_phone(own.phone), nullif(lead.dealname, ''), nullif(lead.unidade, ''),
          lead.external_id), ${MAX_TEXT}) as original,
        own.phone as phone_given
      from leads lead
      left join contacts contact on contact.host_id = lead.host_id and contact.id = lead.contact_id
      cross join lateral (select
        coalesce(nullif(btrim(concat_ws(' ', lead.firstname, lead.lastname)), ''), contact.name) as full_name,
        case when search_phone(lead.mobilephone) is null then contact.phone else lead.mobilephone end as phone) own
    ) lead;

  create view tickets_to_search with (security_invoker = true) as
    select *, search_hash(title, original, phone_given, updated_at) as hash from (
      select ticket.host_id, ticket.id as origin_id, ticket.updated_at,
        coalesce(nullif(ticket.subject, ''), full_name, '') as title,
        left(concat_ws(' | ', nullif(ticket.subject, ''), nullif(left(ticket.content, 65536), ''), nullif(full_name, ''),
          coalesce(nullif(ticket.email, ''), contact.email), ticket.external_id), ${MAX_TEXT})
          as original,
        case when search_phone(ticket.mobilephone) is null then contact.phone else ticket.mobilephone end
          as phone_given
      from tickets ticket
      left join contacts contact on contact.host_id = ticket.host_id and contact.id = ticket.contact_id
      cross join lateral (select
        coalesce(nullif(btrim(concat_ws(' ', ticket.firstname, ticket.lastname)), ''), contact.name) as full_name) own
    ) ticket;
`;

const records = `
  create table search_records (
    host_id uuid not null references hosts on delete cascade,
    origin_table text not null check (origin_table in ('conversations', 'leads', 'tickets')),
    origin_id uuid not null,
    title text not null,
    -- The source text; content is search_text of it, and vector is search_vector of the content.
    original text not null,
    content text not null,
    vector tsvector not null,
    phone text,
    phone_key text,
    updated_at timestamptz not null,
    hash bigint not null,
    indexed_at timestamptz not null default now(),
    primary key (host_id, origin_table, origin_id)
  );

  -- The group, one of 65,536, of two adjacent words in either order.
  create function search_neighbours(one text, other text) returns text language sql immutable parallel safe
    return '~' || to_hex(hashtext(least(one, other) || ' ' || greatest(one, other)) & 65535);

  -- Each word of a record behind its host and each number of occurrences that it reaches, so that the records that rank
  -- highest for a word are found without reading all others that have it. And its pairs of adjacent words.
  create function search_keys(host uuid, vector tsvector) returns text[] language sql immutable parallel safe
    return array(
      select left(host::text, 8) || tier.mark || word.lexeme
      from unnest(vector) word
      cross join (values (1, '1'), (2, '2'), (3, '3'), (4, '4'), (6, '6'), (10, 'a'), (20, 'k')) tier (least, mark)
      where cardinality(word.positions) >= tier.least
      union all
      select left(host::text, 8) || search_neighbours(lexeme, following)
      from (
        select lexeme, lead(lexeme) over (order by position) as following
        from unnest(vector) word, unnest(word.positions) position
      ) side_by_side
      where lexeme <> following
    );

  -- A search scans these dozens of times, and each scan would read all of a pending list.
  create index search_records_keys on search_records using gin (search_keys(host_id, vector)) with (fastupdate = off);
  create index search_records_phone on search_records (host_id, phone_key) where phone_key is not null;
  create index search_records_phone_suffix on search_records (host_id, reverse(phone_key) text_pattern_ops)
    where phone_key is not null;
  create index search_records_phone_reversed on search_records (host_id, reverse(phone) text_pattern_ops)
    where phone is not null;
  create index search_records_phone_part on search_records
    using gin ((phone || ' ' || phone_key) gin_trgm_ops) with (fastupdate = off) where phone is not null;
  -- A scan reads every record that has a word before it returns the first. The sample tells in a hundredth of that time
  -- whether a word is frequent.
  create index search_records_sampled on search_records using gin (search_keys(host_id, vector))
    with (fastupdate = off) where is_sampled(origin_id);
`;

const words = `
  -- The words of a host's records, to find what a misspelt one may mean. Per host: a common list would tell each host which
  -- words the others have.
  create table search_host_words (
    host_id uuid not null references hosts on delete cascade,
    word text collate "C" not null,
    primary key (host_id, word)
  );

  create function search_word_keys(host uuid, trigrams text[]) returns text[] language sql immutable strict parallel safe
    return array(select left(host::text, 8) || trigram from unnest(trigrams) trigram);

  -- New words wait in a short pending list, which each search reads.
  create index search_host_words_alike on search_host_words using gin (search_word_keys(host_id, show_trgm(word)))
    with (fastupdate = on, gin_pending_list_limit = 256);

  ${declareTriggerFunctions('store_search_words')}
  create trigger keep_search_words after insert on search_records
    referencing new table as written for each statement execute function store_search_words();
  create trigger keep_changed_search_words after update on search_records
    referencing new table as written for each statement execute function store_search_words();
`;

const types = `
  create type search_hit as (
    origin_table text, origin_id uuid, host_id uuid, score float8, fts float8, content float8, phone float8,
    matched_by text[], title text, original text, updated_at timestamptz
  );

  create type search_query as (
    text text, words text[], any_word tsquery, all_words tsquery, digits text, endings text[],
    -- Words of the index that are similar to those of the query.
    similar_words text[]
  );
`;

export const searchIndex = `${sources}${records}${words}${types}`;
