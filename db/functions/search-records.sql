-- Views use it, so its parameter keeps its name.
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

create or replace function queue_changed_conversation() returns trigger language plpgsql as $$
begin
  insert into search_outbox (host_id, origin_table, origin_id, operation) values (new.host_id, 'conversations', new.id, 'UPDATE');
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

-- A record without a name, e-mail or phone has the one of its contact, which may have thousands of records: one that waits
-- already is not queued again. Its line is locked, so that it is claimed after this transaction only; where another
-- transaction has it, a second line does no harm.
create or replace function queue_search_events_of_contacts() returns trigger language plpgsql
  security definer set search_path = public, pg_temp
as $$
begin
  with changed_record as materialized (
    select record.host_id, record.origin_table, record.id as origin_id
    from new_rows contact
    join old_rows old_contact on old_contact.host_id = contact.host_id and old_contact.id = contact.id
      and (old_contact.name, old_contact.email, old_contact.phone) is distinct from (contact.name, contact.email, contact.phone)
    cross join lateral (
      select 'conversations' as origin_table, host_id, id from conversations
      where host_id = contact.host_id and contact_id = contact.id
      union all select 'leads', host_id, id from leads where host_id = contact.host_id and contact_id = contact.id
      union all select 'tickets', host_id, id from tickets where host_id = contact.host_id and contact_id = contact.id
    ) record
  ), waiting_event as materialized (
    select event.host_id, event.origin_table, event.origin_id
    from search_outbox event join changed_record using (host_id, origin_table, origin_id)
    -- One expression, so that the index of free lines is of no use: it would be read whole for each record.
    where coalesce(event.claimed_at, event.not_before) is null
    for update of event skip locked
  )
  -- EXCEPT, because NOT EXISTS may be a loop in a loop: 8,000 waiting records of a contact took longer than a statement may.
  insert into search_outbox (host_id, origin_table, origin_id, operation)
  select unqueued_record.*, 'UPDATE' from (
    select host_id, origin_table, origin_id from changed_record
    except select host_id, origin_table, origin_id from waiting_event
  ) unqueued_record;
  return null;
end $$;
