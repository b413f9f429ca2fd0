import { belongsToHost } from './belongs-to-host.ts';

/** Characters of a record that are searched. Every word of them fits into a vector, which has a limit of its own. */
const LONGEST = 100_000;

/** Soft hyphen, and spaces and joiners without a width: texts that were copied from elsewhere have them. */
const UNSEEN = String.raw`\00AD\200B\200C\200D\2060\FEFF`;

const index = `
  -- Lower case, nothing but letters and digits; accents stay. What nobody sees inside a word does not part it.
  -- A single space is not matched: a match costs a hundred times a letter, and composing what is composed ten times.
  create function search_text(given text) returns text language sql immutable strict parallel safe
    return btrim(regexp_replace(
      lower(translate(
        case when given is nfc normalized then given else normalize(given, NFC) end, U&'${UNSEEN}', '')),
      ' *[^[:alnum:] ][^[:alnum:]]*| {2,}', ' ', 'g'));

  create function search_phone(given text) returns text language sql immutable strict parallel safe
    return substring(regexp_replace(given, '[^0-9]', '', 'g') from '^[0-9]{8,}$');

  create function search_hash(title text, original text, phone text, updated_at timestamptz)
    returns bigint language sql immutable parallel safe
    return hashtextextended(
      concat_ws(chr(31), title, original, coalesce(phone, ''), extract(epoch from updated_at)), 0);

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
          nullif(array_to_string(conversation.categories, ', '), '')), ${LONGEST}) as original,
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
          lead.external_id), ${LONGEST}) as original,
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
          coalesce(nullif(ticket.email, ''), contact.email), ticket.external_id), ${LONGEST})
          as original,
        case when search_phone(ticket.mobilephone) is null then contact.phone else ticket.mobilephone end
          as phone_given
      from tickets ticket
      left join contacts contact on contact.host_id = ticket.host_id and contact.id = ticket.contact_id
      cross join lateral (select
        coalesce(nullif(btrim(concat_ws(' ', ticket.firstname, ticket.lastname)), ''), contact.name) as full_name) own
    ) ticket;
  grant select on conversations_to_search, leads_to_search, tickets_to_search to parley_app;

  create table search_records (
    host_id uuid not null references hosts on delete cascade,
    origin_table text not null check (origin_table in ('conversations', 'leads', 'tickets')),
    origin_id uuid not null,
    title text not null,
    -- As it was written; \`content\` is the same as \`search_text\` has it, and \`vector\` what \`search_vector\` makes of that.
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
  ${belongsToHost('search_records')}
  revoke insert, update, delete on search_records from parley_app;

  -- Two words that stand side by side, in whichever order, as one of 65,536 groups.
  create function search_neighbours(one text, other text) returns text language sql immutable parallel safe
    return '~' || to_hex(hashtext(least(one, other) || ' ' || greatest(one, other)) & 65535);

  -- A record's words, each under its host and under every number of times that it is there at least: so the records
  -- that rank highest for a word that half of them hold are found without looking at the others. And its neighbours.
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
  -- A search looks dozens of times, and each time at all of what an index has only noted.
  create index search_records_keys on search_records using gin (search_keys(host_id, vector)) with (fastupdate = off);
  create index search_records_phone on search_records (host_id, phone_key) where phone_key is not null;
  create index search_records_phone_suffix on search_records (host_id, reverse(phone_key) text_pattern_ops)
    where phone_key is not null;
  create index search_records_phone_reversed on search_records (host_id, reverse(phone) text_pattern_ops)
    where phone is not null;
  create index search_records_phone_part on search_records
    using gin ((phone || ' ' || phone_key) gin_trgm_ops) with (fastupdate = off) where phone is not null;

  -- Every word of letters that the index has or had, whoever's, to find what a misspelt one may mean.
  create table search_words (word text primary key);
  create index search_words_alike on search_words using gin (word gin_trgm_ops);
`;

const upkeep = `
  -- One run over all records of some hosts, a line for each host: a run that is cut short goes on with the next host.
  create table search_reindexes (
    host_id uuid not null references hosts on delete cascade,
    id text not null,
    tables text[] not null,
    mode text not null check (mode in ('missing', 'full')),
    since timestamptz,
    batch_size integer not null,
    confirm_orphans boolean not null,
    indexed bigint not null default 0,
    removed bigint not null default 0,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    primary key (host_id, id)
  );
  create unique index search_reindexes_running on search_reindexes (host_id) where finished_at is null;
  ${belongsToHost('search_reindexes')}

  -- What the last reconciliation found, by host and table, and every record that it mended.
  create table search_reconciled (
    host_id uuid not null references hosts on delete cascade,
    origin_table text not null,
    source bigint not null,
    indexed bigint not null,
    missing bigint not null,
    stale bigint not null,
    orphans bigint not null,
    repaired bigint not null,
    removed bigint not null,
    at timestamptz not null default now(),
    primary key (host_id, origin_table)
  );
  ${belongsToHost('search_reconciled')}

  create table search_repairs (
    host_id uuid not null references hosts on delete cascade,
    seq bigint generated always as identity,
    origin_table text not null,
    origin_id uuid not null,
    what text not null check (what in ('missing', 'stale', 'orphan', 'kept')),
    at timestamptz not null default now(),
    primary key (host_id, seq)
  );
  create index on search_repairs (at);
  ${belongsToHost('search_repairs')}
`;

export const searchIndex = `${index}${upkeep}`;
