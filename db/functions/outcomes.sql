create or replace function utc_day(instant timestamptz) returns date language sql immutable parallel safe
  return (instant at time zone 'UTC')::date;

create or replace function utc_month(instant timestamptz) returns date language sql immutable parallel safe
  return date_trunc('month', instant at time zone 'UTC')::date;

-- One transaction of a host at a time: it is the one that changes the counts.
create or replace function lock_gaps(host uuid) returns void language sql as $$
  select pg_advisory_xact_lock(hashtext('parley gaps'), hashtext(host::text));
$$;

create or replace function try_lock_gaps(host uuid) returns boolean language sql as $$
  select pg_try_advisory_xact_lock(hashtext('parley gaps'), hashtext(host::text));
$$;

create or replace function lock_services(host uuid) returns void language sql as $$
  select pg_advisory_xact_lock(hashtext('parley services'), hashtext(host::text));
$$;

create or replace function try_lock_services(host uuid) returns boolean language sql as $$
  select pg_try_advisory_xact_lock(hashtext('parley services'), hashtext(host::text));
$$;

create or replace function forget_gap_questions() returns trigger language plpgsql as $$
begin
  perform lock_gaps(host_id) from (select distinct host_id from gone where gap_id is not null order by 1) hosts;
  update gap_months set times = gap_months.times - deletions.times
  from (
    select host_id, utc_month(asked_at) as month, gap_id, count(*) as times
    from gone where gap_id is not null group by 1, 2, 3
  ) deletions
  where (gap_months.host_id, gap_months.month, gap_months.gap_id) = (deletions.host_id, deletions.month, deletions.gap_id);
  delete from gap_months using gone
  where gap_months.host_id = gone.host_id and gap_months.gap_id = gone.gap_id and times <= 0;
  -- Words of a question that is gone are not kept.
  update gaps set words = oldest.words
  from (select distinct host_id, gap_id from gone where gap_id is not null) gap
  cross join lateral (
    select question.words from gap_questions question
    where question.host_id = gap.host_id and question.gap_id = gap.gap_id
    order by asked_at, message_seq limit 1
  ) oldest
  where gaps.host_id = gap.host_id and gaps.id = gap.gap_id;
  delete from gaps using (select distinct host_id, gap_id from gone) gap
  where gaps.host_id = gap.host_id and gaps.id = gap.gap_id and not exists (
    select from gap_questions question where question.host_id = gaps.host_id and question.gap_id = gaps.id);
  return null;
end $$;

-- Staff may take a closing back within 20 seconds: the request for help that it ended is then the one of before, and who was
-- attended still is.
create or replace function note_service_change() returns trigger language plpgsql as $$
begin
  if new.ask_human_help and not old.ask_human_help then
    if old.closed and not new.closed and old.help_closed_at > clock_timestamp() - interval '20 seconds' then
      new.attended := exists (
        select from messages where host_id = new.host_id and conversation_id = new.id and author = 'human'
          and created_at >= old.help_asked_at);
    else
      new.help_asked_at := clock_timestamp();
    end if;
  end if;
  new.help_closed_at := case
    when old.closed and new.closed then old.help_closed_at
    when new.closed and old.ask_human_help and not new.ask_human_help then clock_timestamp() end;
  insert into service_changes (host_id, conversation_id) values (new.host_id, new.id);
  return new;
end $$;

create or replace function forget_services() returns trigger language plpgsql as $$
begin
  perform lock_services(host_id) from (select distinct host_id from gone order by 1) hosts;
  update service_days set total = service_days.total - deletions.total
  from (select host_id, utc_day(opened_at) as day, outcome, count(*) as total from gone group by 1, 2, 3) deletions
  where (service_days.host_id, service_days.day, service_days.outcome) = (deletions.host_id, deletions.day, deletions.outcome);
  return null;
end $$;

-- The services of these conversations, from their messages.
create or replace function services_of(host uuid, talks uuid[]) returns table (
  conversation_id uuid, opened_at timestamptz, last_at timestamptz, last_author text, has_human boolean,
  ended boolean, asked_help boolean, reopened boolean
) language sql stable as $$
  with message_of_service as (
    select message.conversation_id, author, created_at, seq, opens_service,
      count(*) filter (where opens_service) over (partition by message.conversation_id order by seq) as nth
    from unnest(talks) known_conversation
    -- One range of an index for each conversation, whatever the planner knows of the tables.
    cross join lateral (
      select * from messages entry where entry.host_id = host and entry.conversation_id = known_conversation order by entry.seq offset 0
    ) message
    where author <> 'system' and not rehearsal
  ), service as (
    select message_of_service.conversation_id, nth, min(created_at) filter (where opens_service) as opened_at,
      max(created_at) as last_at, (array_agg(author order by seq desc))[1] as last_author,
      bool_or(author = 'human') as has_human
    from message_of_service where nth > 0 group by 1, 2
  ), service_with_next as (
    select *, lead(service.opened_at) over (partition by service.conversation_id order by nth) as next_at from service
  )
  select service_with_next.conversation_id, service_with_next.opened_at, service_with_next.last_at, service_with_next.last_author, service_with_next.has_human,
    next_at is not null or closed,
    coalesce(help_asked_at >= service_with_next.opened_at and help_asked_at < coalesce(next_at, 'infinity'), false),
    coalesce(next_at < service_with_next.last_at + interval '7 days', false)
  from service_with_next
  join conversations on conversations.host_id = host and conversations.id = service_with_next.conversation_id;
$$;

-- Counts the services of changed conversations anew, at most `max_rows` changes; returns their number, null where another
-- transaction has the lock: a report does not wait for it with a connection in hand.
create or replace function fold_services(host uuid, max_rows integer) returns bigint language plpgsql as $$
declare
  conversation_ids uuid[];
  counted_changes bigint;
begin
  if not try_lock_services(host) then
    return null;
  end if;
  -- A conversation that is being deleted is left: its deletion waits for the lock of this transaction.
  with next_change as (
    select change.id, change.conversation_id from service_changes change
    join conversations on conversations.host_id = change.host_id and conversations.id = change.conversation_id
    where change.host_id = host order by change.id limit max_rows
    for update of change skip locked for key share of conversations skip locked
  ), removed_change as (
    delete from service_changes using next_change where host_id = host and service_changes.id = next_change.id
    returning next_change.conversation_id
  )
  select array_agg(distinct conversation_id), count(*) into conversation_ids, counted_changes from removed_change;
  with stored_service as (
    select * from services where host_id = host and conversation_id = any (conversation_ids)
  ), current_service as (
    select service.*, service.asked_help or coalesce(stored_service.asked_help, false) as ever_asked
    from services_of(host, conversation_ids) service left join stored_service using (conversation_id, opened_at)
  ), service_with_outcome as (
    select *, case
      when reopened then 'reopened'
      when ever_asked and not has_human or last_author = 'user' and not (ended and has_human) then 'abandoned'
      when has_human then 'human' else 'assistant' end as outcome
    from current_service
  ), written_service as (
    insert into services (host_id, conversation_id, opened_at, last_at, outcome, ended, asked_help)
    select host, conversation_id, opened_at, last_at, outcome, ended, ever_asked from service_with_outcome
    on conflict (host_id, conversation_id, opened_at) do update set last_at = excluded.last_at,
      outcome = excluded.outcome, ended = excluded.ended, asked_help = excluded.asked_help
  )
  insert into service_days as day (host_id, day, outcome, total)
  select host, utc_day(opened_at), outcome, sum(change) from (
    select opened_at, outcome, 1 as change from service_with_outcome
    union all
    select stored_service.opened_at, stored_service.outcome, -1 from stored_service join service_with_outcome using (conversation_id, opened_at)
  ) changes
  group by 2, 3 having sum(change) <> 0
  on conflict (host_id, day, outcome) do update set total = day.total + excluded.total;
  return counted_changes;
end $$;
