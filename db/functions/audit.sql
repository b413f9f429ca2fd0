-- Long texts are cut, and longer JSON becomes a text, so that an audit row stays small.
create or replace function audit_value(value jsonb) returns jsonb language sql immutable parallel safe
  return case
    when jsonb_typeof(value) = 'string' then to_jsonb(left(value #>> '{}', 2000))
    when jsonb_typeof(value) in ('object', 'array') and length(value::text) > 2000 then to_jsonb(left(value::text, 2000))
    else value
  end;

-- An object that may hold secrets, in any of its values: of a web address the origin stays, of others nothing.
create or replace function masked_value(value jsonb) returns jsonb language sql immutable parallel safe
  return (
    select jsonb_object_agg(name, coalesce(substring(inner_value from '^(https?://)') ||
      substring(inner_value from '^https?://(?:[^/?#]*@)?([^/?#@]*)') || '/', '') || '***')
    from jsonb_each_text(value) inner_values (name, inner_value)
  );

-- Writes an audit row where a row changes, with the columns that differ. The transaction says who acts in parley.actor
-- ({kind, tokenId, name, operation}), where the id may be a person of the host; without it, it is the database
-- user. audited-table.ts explains the arguments.
-- It runs as the owner: the role of hosts reads its audit rows, and neither writes nor changes any.
create or replace function note_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  actor jsonb := nullif(current_setting('parley.actor', true), '')::jsonb;
  earlier jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  later jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  current jsonb := coalesce(later, earlier);
  omitted text[] := array['host_id', 'created_at', 'updated_at'] || string_to_array(tg_argv[1], ',');
  masked text[] := string_to_array(tg_argv[2], ',');
  before_change jsonb;
  after_change jsonb;
  hosts_of_row uuid[];
  person uuid;
begin
  select
    jsonb_object_agg(name, case when name = any (masked) then masked_value(earlier -> name) else audit_value(earlier -> name) end),
    jsonb_object_agg(name, case when name = any (masked) then masked_value(later -> name) else audit_value(later -> name) end)
  into before_change, after_change
  from jsonb_object_keys(current) name
  where name <> all (omitted)
    and coalesce(earlier -> name, 'null') is distinct from coalesce(later -> name, 'null');
  if after_change is null then
    return coalesce(new, old);
  end if;
  hosts_of_row := case tg_table_name
    when 'hosts' then array[current ->> 'id']::uuid[]
    when 'tokens' then array(
      select id from hosts where current ->> 'kind' = 'operator'
      union all select host_id from token_hosts where token_id = (current ->> 'id')::uuid)
    else array[current ->> 'host_id']::uuid[]
  end;
  if actor ->> 'kind' = 'token' then
    select id into person from people where host_id = any (hosts_of_row) and id = (actor ->> 'tokenId')::uuid;
  end if;
  insert into audit_entries (host_id, actor_kind, token_id, person_id, actor_name, operation, table_name, row_id, before, after)
  select host, case when person is null then coalesce(actor ->> 'kind', 'database') else 'person' end,
    case when person is null then (actor ->> 'tokenId')::uuid end, person, coalesce(actor ->> 'name', session_user), coalesce(actor ->> 'operation', lower(tg_op)), tg_table_name,
    (select string_agg(current ->> name, ' ') from unnest(string_to_array(tg_argv[0], ',')) name),
    case when earlier is not null then before_change end, case when later is not null then after_change end
  from unnest(hosts_of_row) host;
  -- Before a row is deleted, null would keep it.
  return coalesce(new, old);
end $$;
