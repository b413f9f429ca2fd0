-- Tells the webhooks of a host once that 80 or 100 % of a budget is spent, or that a call was refused for it.
-- A changed budget is told anew.
create or replace function note_budget_reached(
  host uuid, of_period text, of_day date, spent numeric, budget numeric, is_refused boolean
) returns void language sql as $$
  with budget_alert as (
    insert into budget_alerts (host_id, period, first_day, percent, amount)
    select host, of_period, of_day, part, budget from unnest(array[80, 100]) as part
    where budget is not null and (is_refused or spent >= budget * part / 100)
    on conflict do nothing
    returning gen_random_uuid() as id, period, percent
  )
  select add_events(host, array_agg(id), array_agg('budget.reached'::text),
    array_agg(json_build_object('percent', percent, 'period', period)::text), array_agg(''::text), array_agg(''::text))
  from budget_alert having count(*) > 0;
$$;

-- Reserves an amount of the budgets of a host for a call. Nulls where it fits; otherwise the period whose budget it would exceed,
-- 'day' or 'month', and the seconds until its end. What the host paid with its own key counts for none. What is spent and what is reserved is read in one statement, under a lock of the host: so
-- concurrent calls exceed a budget by nothing. The statement is a transaction of its own: a process that hangs holds no lock.
create or replace function reserve_of_budgets(
  host uuid, call uuid, of_holder text, of_attempt integer, new_amount numeric, lasts interval, out seconds integer, out period text
) language plpgsql as $$
declare
  budget record;
  usage record;
  ends timestamp;
begin
  perform pg_advisory_xact_lock(hashtextextended('parley spend ' || host, 0));
  delete from spend_reservations
  where host_id = host and (expires_at <= clock_timestamp() or (holder = of_holder and attempt < of_attempt));
  select daily_budget as of_day, monthly_budget as of_month, time_zone, today, first,
    today::timestamp at time zone time_zone as day_starts, first::timestamp at time zone time_zone as month_starts
  into budget
  from hosts, lateral (select local_day(clock_timestamp(), time_zone) as today) as clock,
    lateral (select date_trunc('month', today)::date as first) as month
  where id = host;
  -- Instants are compared, because computing the local day of each row takes several times as long.
  select coalesce(sum(amount) filter (where is_today), 0) as of_day, coalesce(sum(amount), 0) as of_month,
    coalesce(sum(amount) filter (where is_today and is_spent), 0) as spent_of_day,
    coalesce(sum(amount) filter (where is_spent), 0) as spent_of_month
  into usage
  from (
    select day = budget.today as is_today, true as is_spent, cost - own_cost as amount from spend_days where host_id = host and day >= budget.first
    union all
    select at >= budget.day_starts, true, cost - own_cost from spend_deltas
    where host_id = host and at >= budget.month_starts and counted_at is null
    union all
    select reserved_at >= budget.day_starts, false, amount from spend_reservations
    where host_id = host and reserved_at >= budget.month_starts
  ) entry;
  if usage.of_month + new_amount > budget.of_month then
    period := 'month';
    ends := budget.first + interval '1 month';
  elsif usage.of_day + new_amount > budget.of_day then
    period := 'day';
    ends := budget.today + interval '1 day';
  end if;
  perform note_budget_reached(host, 'day', budget.today, usage.spent_of_day, budget.of_day,
    usage.of_day + new_amount > budget.of_day);
  perform note_budget_reached(host, 'month', budget.first, usage.spent_of_month, budget.of_month,
    usage.of_month + new_amount > budget.of_month);
  if ends is not null then
    seconds := greatest(1, ceil(extract(epoch from (ends at time zone budget.time_zone) - clock_timestamp())));
    return;
  end if;
  insert into spend_reservations (host_id, id, holder, attempt, amount, expires_at)
  values (host, call, of_holder, of_attempt, new_amount, clock_timestamp() + lasts);
end $$;

-- As processes of the version before call it.
create or replace function reserve_spend(
  host uuid, call uuid, of_holder text, of_attempt integer, new_amount numeric, lasts interval
) returns integer language sql as $$
  select seconds from reserve_of_budgets(host, call, of_holder, of_attempt, new_amount, lasts);
$$;

-- Adds at most `max_rows` deltas to the spend of their days; returns their number. Younger ones stay as counted, to be met by a
-- second recording of the same call; at most as many older ones are forgotten.
create or replace function aggregate_spend_deltas(max_rows integer, younger interval) returns bigint language sql as $$
  with forgotten_delta as (
    delete from spend_deltas where ctid = any (array(
      select ctid from spend_deltas where counted_at is not null and recorded_at < now() - younger
      order by recorded_at limit max_rows for update skip locked
    ))
  ), claimed_delta as (
    update spend_deltas set counted_at = clock_timestamp() where ctid = any (array(
      select ctid from spend_deltas where counted_at is null limit max_rows for update skip locked
    )) returning host_id, at, model, avatar_id, purpose, tokens, input_tokens, cached_tokens, output_tokens, cost, estimated_cost, own_cost
  ), stored_day as (
    insert into spend_days as day_so_far (host_id, day, model, avatar_id, purpose, calls, tokens, input_tokens, cached_tokens,
      output_tokens, cost, estimated_cost, own_cost)
    select host_id, local_day(at, time_zone), model, avatar_id, purpose, count(*), sum(tokens), sum(input_tokens),
      sum(cached_tokens), sum(output_tokens), sum(cost), sum(estimated_cost), sum(own_cost)
    from claimed_delta join hosts on hosts.id = claimed_delta.host_id
    group by 1, 2, 3, 4, 5
    on conflict (host_id, day, model, avatar_id, purpose) do update
      set calls = day_so_far.calls + excluded.calls, tokens = day_so_far.tokens + excluded.tokens,
        input_tokens = day_so_far.input_tokens + excluded.input_tokens,
        cached_tokens = day_so_far.cached_tokens + excluded.cached_tokens,
        output_tokens = day_so_far.output_tokens + excluded.output_tokens,
        cost = day_so_far.cost + excluded.cost, estimated_cost = day_so_far.estimated_cost + excluded.estimated_cost,
        own_cost = day_so_far.own_cost + excluded.own_cost
  )
  select count(*) from claimed_delta;
$$;
