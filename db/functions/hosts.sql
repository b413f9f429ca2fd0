create or replace function hosts_in_scope() returns uuid[] language sql stable parallel safe
  return nullif(current_setting('parley.hosts', true), '')::uuid[];

-- Changes settings of a host, {column: value}. False where the transaction may not.
-- The role of hosts only reads hosts: a share decides over others, too. This runs as the owner, and lets that role change a
-- host of its scope for the token of an operator, and for a command whose login may act as the owner; for others only how its
-- staff attend. No other role is asked.
-- Another time zone or other opening hours recount the report days; what erased persons count stays on the days and hours
-- on which it was. A host that is enabled again is not late with what waited: the schedule of its deliveries begins anew.
create or replace function change_host(host uuid, settings jsonb) returns boolean language plpgsql
  security definer set search_path = public, pg_temp
as $$
declare
  actor jsonb := nullif(current_setting('parley.actor', true), '')::jsonb;
  columns text;
  hours record;
  erased report_days[];
  recounts boolean := settings ?| array['time_zone', 'business_hours'];
  resumes boolean := settings -> 'disabled' = 'false' and exists (select from hosts where id = host and disabled);
begin
  if current_setting('role') = 'parley_app' and not (host = any (hosts_in_scope()) and (
    settings - array['labels', 'close_reasons', 'reassign_after_minutes'] = '{}'
    or coalesce(actor ->> 'kind', '') = 'command' and pg_has_role(session_user, current_user, 'member') or exists (
      select from tokens where id = (actor ->> 'tokenId')::uuid
        and kind = 'operator' and revoked_at is null and coalesce(expires_at > now(), true)
  ))) then
    return false;
  end if;
  select string_agg(quote_ident(name), ', ') into columns from jsonb_object_keys(settings) name
  where name not in ('id', 'slug', 'created_at', 'updated_at', 'open_minutes');
  if columns is null then
    return true;
  end if;
  if recounts then
    -- The lock of db/reports/report-aggregation.ts: no delta is added to the daily counts meanwhile.
    perform pg_advisory_xact_lock(hashtext('parley report folding'));
    select time_zone, open_minutes into hours from hosts where id = host for no key update;
    erased := array(select erased_day from erased_report_days(host) erased_day);
  end if;
  execute format('update hosts set (%1$s, updated_at) = (select %1$s, now() from jsonb_populate_record(null::hosts, $2))
    where id = $1', columns) using host, settings;
  if resumes then
    update deliveries set scheduled_at = clock_timestamp(),
      due_at = case when is_claimed then due_at else least(due_at, clock_timestamp()) end
    where host_id = host and state = 'pending';
  end if;
  if recounts and hours is distinct from (select row (time_zone, open_minutes) from hosts where id = host) then
    perform recount_report_days(host);
    insert into report_days as recounted select * from unnest(erased)
    on conflict (host_id, day, kind, platform) do update
      set total = recounted.total + excluded.total, after_hours = recounted.after_hours + excluded.after_hours;
  end if;
  return true;
end $$;
