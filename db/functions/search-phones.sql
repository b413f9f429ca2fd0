-- Records whose phone ends with these digits.
create or replace function search_phones_ending(hosts uuid[], endings text[], max_rows integer) returns setof tid
  language sql stable set enable_seqscan = off
as $$
  select distinct ids.id
  from unnest(hosts) as host
  cross join unnest(endings) as ending
  cross join lateral (
    (select ctid as id from search_records
      where host_id = host and phone_key is not null
        and reverse(phone_key) ~>=~ reverse(ending) and reverse(phone_key) ~<~ (reverse(ending) || ':')
      limit max_rows)
    union all
    (select ctid as id from search_records
      where host_id = host and phone is not null
        and reverse(phone) ~>=~ reverse(ending) and reverse(phone) ~<~ (reverse(ending) || ':')
      limit max_rows)
  ) ids
$$;

-- Records with such a phone, at most `max_rows`.
create or replace function search_phone_ids(hosts uuid[], query_digits text, kind text, max_rows integer) returns tid[]
  language plpgsql stable set enable_seqscan = off
as $$
begin
  return case kind
    when 'exact' then array(
      select ctid from search_records
      where host_id = any (hosts) and phone_key is not null and phone_key = phone_key(query_digits) limit max_rows)
    when 'suffix' then array(
      select search_phones_ending(hosts, array(select distinct unnest(array[query_digits, phone_key(query_digits)])), max_rows))
    else array(
      select ctid from search_records
      where phone is not null and (phone || ' ' || phone_key) like '%' || query_digits || '%' and host_id = any (hosts)
      limit max_rows)
  end;
end $$;

create or replace function search_phones(query_digits text, kind text, max_rows integer, offset_rows integer,
  out total bigint, out is_estimate boolean, out hits search_hit[])
  language plpgsql stable security definer set plan_cache_mode = force_custom_plan set search_path = public, pg_temp
  set enable_seqscan = off
as $$
declare
  hosts constant uuid[] := coalesce(hosts_in_scope(), '{}');
  first_ids constant tid[] := search_phone_ids(hosts, query_digits, kind, 1000);
  ids tid[] := first_ids;
begin
  is_estimate := cardinality(first_ids) = 1000;
  total := case when is_estimate then search_estimate(first_ids) else cardinality(first_ids) end;
  if is_estimate and max_rows + offset_rows > 1000 then
    ids := array(select unnest(ids) union select unnest(search_phone_ids(hosts, query_digits, kind, 11000)));
  end if;
  hits := array(
    select row(origin_table, origin_id, host_id, likeness, 0, 0, likeness, '{phone}'::text[], title, original,
      updated_at)::search_hit
    from (
      select record.*, ctid as id,
        greatest(similarity(phone, query_digits), similarity(phone_key, phone_key(query_digits)))::float8 as likeness
      from search_records record where ctid = any (ids)
    ) scored_record
    order by id = any (first_ids) desc, likeness desc, updated_at desc, origin_id limit max_rows offset offset_rows);
end $$;
