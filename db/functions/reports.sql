create or replace function local_day(moment timestamptz, time_zone text) returns date language sql immutable parallel safe
  return (moment at time zone time_zone)::date;

-- The first day of 1970 was a Thursday.
create or replace function is_after_hours(moment timestamptz, time_zone text, open_minutes bit) returns boolean
  language sql immutable parallel safe
  return get_bit(open_minutes,
    ((floor(date_part('epoch', moment at time zone time_zone) / 60)::bigint + 4320) % 10080)::integer) = 0;

-- Truncated, because any text may be a platform, and index keys have a maximum length.
create or replace function report_platform(platform text) returns text language sql immutable parallel safe
  return left(platform, 100);

create or replace function mark_service() returns trigger language plpgsql as $$
begin
  new.opens_service := new.reopens or not exists (
    select from messages message join conversations conversation
      on conversation.host_id = message.host_id and conversation.id = message.conversation_id
    where message.host_id = new.host_id and message.conversation_id = new.conversation_id and message.opens_service
      and message.created_at >= coalesce(conversation.reopened_at, '-infinity'));
  return new;
end $$;

create or replace function note_messages() returns trigger language plpgsql as $$
begin
  insert into report_deltas (host_id, at, kind, platform, amount)
  select host_id, created_at, author, '', 1 from added where author <> 'system' and not rehearsal
  union all
  select added.host_id, added.created_at, 'service', report_platform(platform), 1
  from added join conversations conversation
    on conversation.host_id = added.host_id and conversation.id = added.conversation_id
  where opens_service;
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

-- Adds at most `most` deltas to the daily counts; returns their number.
create or replace function fold_report_deltas(most integer) returns bigint language sql as $$
  with claimed as (
    delete from report_deltas where (host_id, id) in (
      select host_id, id from report_deltas limit most for update skip locked
    ) returning host_id, at, kind, platform, amount
  ), counted as (
    select host_id, local_day(at, time_zone) as day, kind, platform, sum(amount) as total,
      coalesce(sum(amount) filter (where is_after_hours(at, time_zone, open_minutes)), 0) as after_hours
    from claimed join hosts on hosts.id = claimed.host_id
    group by 1, 2, 3, 4
  ), stored as (
    insert into report_days as existing select * from counted
    on conflict (host_id, day, kind, platform) do update
      set total = existing.total + excluded.total, after_hours = existing.after_hours + excluded.after_hours
  )
  select count(*) from claimed;
$$;

create or replace function recount_report_days(host uuid) returns void language sql as $$
  delete from report_days where host_id = host;
  with deleted as (delete from report_deltas where host_id = host)
  insert into report_days (host_id, day, kind, platform, total, after_hours)
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
  ) counted
  where hosts.id = host
  group by 2, 3, 4;
$$;
