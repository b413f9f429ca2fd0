-- Putting marks in order takes the square of their number, so a long run of them is composed in pieces; a cut may leave
-- a letter and its mark apart.
create or replace function normalize_long_word(given text) returns text language sql immutable strict parallel safe
  return (
    -- Two steps, as finding a place in a text means counting from its beginning.
    with blocks as materialized (
      select block_at, substr(given, block_at, 2048) as block
      from generate_series(1, length(given), 2048) block_at
    )
    select string_agg(normalize(substr(block, piece_at, 64), NFC), '' order by block_at, piece_at)
    from blocks cross join lateral generate_series(1, length(block), 64) piece_at
  );

-- Nothing is composed with a space, so words can be composed one by one.
create or replace function normalize_in_pieces(given text) returns text language sql immutable strict parallel safe
  return (
    select string_agg(
      case when length(word) <= 64 then normalize(word, NFC) else normalize_long_word(word) end, ' ' order by at)
    from unnest(string_to_array(given, ' ')) with ordinality words (word, at)
  );

-- Lower case, nothing but letters and digits; accents stay. What nobody sees inside a word does not part it.
-- A single space is not matched: a match costs a hundred times a letter, and composing what is composed ten times.
-- All marks lie beyond U+024F.
create or replace function search_text(given text) returns text language sql immutable strict parallel safe
  return btrim(regexp_replace(
    lower(translate(
      case
        when given ~ '[^\x01-\u024f]{65}' then normalize_in_pieces(given)
        when given is nfc normalized then given
        else normalize(given, NFC)
      end, U&'\00AD\200B\200C\200D\2060\FEFF', '')),
    ' *[^[:alnum:] ][^[:alnum:]]*| {2,}', ' ', 'g'));

create or replace function search_phone(given text) returns text language sql immutable strict parallel safe
  return substring(regexp_replace(given, '[^0-9]', '', 'g') from '^[0-9]{8,}$');

create or replace function search_hash(title text, original text, phone text, updated_at timestamptz)
  returns bigint language sql immutable parallel safe
  return hashtextextended(
    concat_ws(chr(31), title, original, coalesce(phone, ''), extract(epoch from updated_at)), 0);

create or replace function queue_search_events() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into search_outbox (host_id, origin_table, origin_id, operation)
    select host_id, tg_argv[0], id, 'DELETE' from old_rows;
  else
    insert into search_outbox (host_id, origin_table, origin_id, operation)
    select host_id, tg_argv[0], id, tg_op from new_rows;
  end if;
  return null;
end $$;

create or replace function queue_search_events_of_messages() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into search_outbox (host_id, origin_table, origin_id, operation)
    select distinct host_id, 'conversations', conversation_id, 'UPDATE' from old_rows;
  else
    insert into search_outbox (host_id, origin_table, origin_id, operation)
    select distinct host_id, 'conversations', conversation_id, 'UPDATE' from new_rows;
  end if;
  return null;
end $$;

-- A record without a name, an e-mail or a phone of its own has its contact's.
create or replace function queue_search_events_of_contacts() returns trigger language plpgsql as $$
begin
  insert into search_outbox (host_id, origin_table, origin_id, operation)
  select record.host_id, record.origin_table, record.id, 'UPDATE'
  from new_rows contact
  join old_rows former on former.host_id = contact.host_id and former.id = contact.id
    and (former.name, former.email, former.phone) is distinct from (contact.name, contact.email, contact.phone)
  cross join lateral (
    select 'conversations' as origin_table, host_id, id from conversations
    where host_id = contact.host_id and contact_id = contact.id
    union all select 'leads', host_id, id from leads where host_id = contact.host_id and contact_id = contact.id
    union all select 'tickets', host_id, id from tickets where host_id = contact.host_id and contact_id = contact.id
  ) record;
  return null;
end $$;
