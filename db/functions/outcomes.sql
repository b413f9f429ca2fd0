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
  update gap_months set times = gap_months.times - fewer.times
  from (
    select host_id, utc_month(asked_at) as month, gap_id, count(*) as times
    from gone where gap_id is not null group by 1, 2, 3
  ) fewer
  where (gap_months.host_id, gap_months.month, gap_months.gap_id) = (fewer.host_id, fewer.month, fewer.gap_id);
  delete from gap_months using gone
  where gap_months.host_id = gone.host_id and gap_months.gap_id = gone.gap_id and times <= 0;
  -- Words of a question that is gone are not kept.
  update gaps set words = oldest.words
  from (select distinct host_id, gap_id from gone where gap_id is not null) touched
  cross join lateral (
    select question.words from gap_questions question
    where question.host_id = touched.host_id and question.gap_id = touched.gap_id
    order by asked_at, message_seq limit 1
  ) oldest
  where gaps.host_id = touched.host_id and gaps.id = touched.gap_id;
  delete from gaps using (select distinct host_id, gap_id from gone) touched
  where gaps.host_id = touched.host_id and gaps.id = touched.gap_id and not exists (
    select from gap_questions question where question.host_id = gaps.host_id and question.gap_id = gaps.id);
  return null;
end $$;

create or replace function note_service_messages() returns trigger language plpgsql as $$
begin
  insert into service_changes (host_id, conversation_id)
  select distinct host_id, conversation_id from added where author <> 'system' and not rehearsal;
  return null;
end $$;

create or replace function note_service_change() returns trigger language plpgsql as $$
begin
  if new.ask_human_help and not old.ask_human_help then
    new.help_asked_at := clock_timestamp();
  end if;
  insert into service_changes (host_id, conversation_id) values (new.host_id, new.id);
  return new;
end $$;

create or replace function forget_services() returns trigger language plpgsql as $$
begin
  perform lock_services(host_id) from (select distinct host_id from gone order by 1) hosts;
  update service_days set total = service_days.total - fewer.total
  from (select host_id, utc_day(opened_at) as day, outcome, count(*) as total from gone group by 1, 2, 3) fewer
  where (service_days.host_id, service_days.day, service_days.outcome) = (fewer.host_id, fewer.day, fewer.outcome);
  return null;
end $$;

-- The services of these conversations, from their messages.
create or replace function services_of(host uuid, talks uuid[]) returns table (
  conversation_id uuid, opened_at timestamptz, last_at timestamptz, last_author text, has_human boolean,
  ended boolean, asked_help boolean, reopened boolean
) language sql stable as $$
  with numbered as (
    select message.conversation_id, author, created_at, seq, opens_service,
      count(*) filter (where opens_service) over (partition by message.conversation_id order by seq) as nth
    from unnest(talks) talk
    -- One range of an index for each conversation, whatever the planner knows of the tables.
    cross join lateral (
      select * from messages said where said.host_id = host and said.conversation_id = talk order by said.seq offset 0
    ) message
    where author <> 'system' and not rehearsal
  ), served as (
    select numbered.conversation_id, nth, min(created_at) filter (where opens_service) as opened_at,
      max(created_at) as last_at, (array_agg(author order by seq desc))[1] as last_author,
      bool_or(author = 'human') as has_human
    from numbered where nth > 0 group by 1, 2
  ), followed as (
    select *, lead(served.opened_at) over (partition by served.conversation_id order by nth) as next_at from served
  )
  select followed.conversation_id, followed.opened_at, followed.last_at, followed.last_author, followed.has_human,
    next_at is not null or closed,
    coalesce(help_asked_at >= followed.opened_at and help_asked_at < coalesce(next_at, 'infinity'), false),
    coalesce(next_at < followed.last_at + interval '7 days', false)
  from followed
  join conversations on conversations.host_id = host and conversations.id = followed.conversation_id;
$$;

-- Counts the services of changed conversations anew, at most `max_rows` changes; returns their number, null where another
-- transaction has the lock: a report does not wait for it with a connection in hand.
create or replace function fold_services(host uuid, max_rows integer) returns bigint language plpgsql as $$
declare
  talks uuid[];
  folded bigint;
begin
  if not try_lock_services(host) then
    return null;
  end if;
  -- A conversation that is being deleted is left: its deletion waits for the lock of this transaction.
  with changed as (
    select change.id, change.conversation_id from service_changes change
    join conversations on conversations.host_id = change.host_id and conversations.id = change.conversation_id
    where change.host_id = host order by change.id limit max_rows
    for update of change skip locked for key share of conversations skip locked
  ), claimed as (
    delete from service_changes using changed where host_id = host and service_changes.id = changed.id
    returning changed.conversation_id
  )
  select array_agg(distinct conversation_id), count(*) into talks, folded from claimed;
  with earlier as (
    select * from services where host_id = host and conversation_id = any (talks)
  ), found as (
    select served.*, served.asked_help or coalesce(earlier.asked_help, false) as ever_asked
    from services_of(host, talks) served left join earlier using (conversation_id, opened_at)
  ), judged as (
    select *, case
      when reopened then 'reopened'
      when ever_asked and not has_human or last_author = 'user' and not (ended and has_human) then 'abandoned'
      when has_human then 'human' else 'assistant' end as outcome
    from found
  ), stored as (
    insert into services (host_id, conversation_id, opened_at, last_at, outcome, ended, asked_help)
    select host, conversation_id, opened_at, last_at, outcome, ended, ever_asked from judged
    on conflict (host_id, conversation_id, opened_at) do update set last_at = excluded.last_at,
      outcome = excluded.outcome, ended = excluded.ended, asked_help = excluded.asked_help
  )
  insert into service_days as day (host_id, day, outcome, total)
  select host, utc_day(opened_at), outcome, sum(change) from (
    select opened_at, outcome, 1 as change from judged
    union all
    select earlier.opened_at, earlier.outcome, -1 from earlier join judged using (conversation_id, opened_at)
  ) changes
  group by 2, 3 having sum(change) <> 0
  on conflict (host_id, day, outcome) do update set total = day.total + excluded.total;
  return folded;
end $$;
