create or replace function local_day(instant timestamptz, time_zone text) returns date language sql immutable parallel safe
  return (instant at time zone time_zone)::date;

-- The first day of 1970 was a Thursday.
create or replace function is_after_hours(instant timestamptz, time_zone text, open_minutes bit) returns boolean
  language sql immutable parallel safe
  return get_bit(open_minutes,
    ((floor(date_part('epoch', instant at time zone time_zone) / 60)::bigint + 4320) % 10080)::integer) = 0;

-- Truncated, because any text may be a platform, and index keys have a maximum length.
create or replace function report_platform(platform text) returns text language sql immutable parallel safe
  return left(platform, 100);

create or replace function set_opens_service() returns trigger language plpgsql as $$
begin
  new.opens_service := new.reopens or not exists (
    select from messages message join conversations conversation
      on conversation.host_id = message.host_id and conversation.id = message.conversation_id
    where message.host_id = new.host_id and message.conversation_id = new.conversation_id and message.opens_service
      and message.created_at >= coalesce(conversation.reopened_at, '-infinity'));
  return new;
end $$;

-- What a message leaves for the search index, for the services and for the daily counts.
create or replace function note_message() returns trigger language plpgsql as $$
begin
  insert into search_outbox (host_id, origin_table, origin_id, operation)
  values (new.host_id, 'conversations', new.conversation_id, 'UPDATE');
  if new.author <> 'system' and not new.rehearsal then
    insert into service_changes (host_id, conversation_id) values (new.host_id, new.conversation_id);
    insert into report_deltas (host_id, at, kind, platform, amount) values (new.host_id, new.created_at, new.author, '', 1);
  end if;
  if new.opens_service then
    insert into report_deltas (host_id, at, kind, platform, amount)
    select host_id, new.created_at, 'service', report_platform(platform), 1 from conversations
    where host_id = new.host_id and id = new.conversation_id;
  end if;
  return null;
end $$;

-- The platform of a conversation may be set late: its services are moved to it.
create or replace function move_services() returns trigger language plpgsql as $$
begin
  insert into report_deltas (host_id, at, kind, platform, amount)
  select host_id, created_at, 'service', report_platform(change.platform), change.amount
  from messages, (values (old.platform, -1), (new.platform, 1)) change (platform, amount)
  where host_id = new.host_id and conversation_id = new.id and opens_service;
  return null;
end $$;

-- Adds at most `max_rows` deltas to the daily counts; returns their number.
create or replace function aggregate_report_deltas(max_rows integer) returns bigint language sql as $$
  with claimed_delta as (
    delete from report_deltas where ctid = any (array(
      select ctid from report_deltas limit max_rows for update skip locked
    )) returning host_id, at, kind, platform, amount
  ), delta_sum as (
    select host_id, local_day(at, time_zone) as day, kind, platform, sum(amount) as total,
      coalesce(sum(amount) filter (where is_after_hours(at, time_zone, open_minutes)), 0) as after_hours
    from claimed_delta join hosts on hosts.id = claimed_delta.host_id
    group by 1, 2, 3, 4
  ), stored_day as (
    insert into report_days as day_so_far select * from delta_sum
    on conflict (host_id, day, kind, platform) do update
      set total = day_so_far.total + excluded.total, after_hours = day_so_far.after_hours + excluded.after_hours
  )
  select count(*) from claimed_delta;
$$;

-- The daily counts of the messages that the host has, by its present time zone and hours.
create or replace function count_report_days(host uuid) returns setof report_days language sql stable as $$
  select host, local_day(at, time_zone), kind, platform, count(*),
    count(*) filter (where is_after_hours(at, time_zone, open_minutes))
  from hosts, (
    select created_at as at, author as kind, '' as platform
    from messages where host_id = host and author <> 'system' and not rehearsal
    union all
    select messages.created_at, 'service', report_platform(platform)
    from messages join conversations conversation
      on conversation.host_id = messages.host_id and conversation.id = conversation_id
    where messages.host_id = host and opens_service
  ) report_entry
  where hosts.id = host
  group by 2, 3, 4;
$$;

-- The counts that have no message any more, because a person was erased. Before the time zone and the hours change.
create or replace function erased_report_days(host uuid) returns setof report_days language sql stable as $$
  select host, day, kind, platform, sum(total), greatest(sum(after_hours), 0)
  from (
    select day, kind, platform, total, after_hours from report_days where host_id = host
    union all
    select local_day(at, time_zone), kind, platform, amount,
      case when is_after_hours(at, time_zone, open_minutes) then amount else 0 end
    from report_deltas join hosts on hosts.id = host_id where host_id = host
    union all
    select day, kind, platform, -total, -after_hours from count_report_days(host)
  ) counted
  group by 2, 3, 4 having sum(total) > 0;
$$;

create or replace function recount_report_days(host uuid) returns void language sql as $$
  delete from report_days where host_id = host;
  with deleted_delta as (delete from report_deltas where host_id = host)
  insert into report_days select * from count_report_days(host);
$$;
