-- Stores the events that a webhook of the host wants, each with a delivery for each of these webhooks; other events leave no row. Call it
-- in the transaction of the cause. For a host without webhooks it reads one index. Empty ids: the event is about none.
-- In PL/pgSQL, which plans it once a connection.
create or replace function add_events(
  host uuid, new_ids uuid[], types text[], new_data text[], conversations text[], records text[]
) returns void language plpgsql as $$
begin
  with new_event as (
    select * from unnest(new_ids, types, new_data, conversations, records)
      as new_event (new_id, new_type, new_json, conversation, intake_record)
  ), wanted_event as materialized (
    select new_event.*, webhooks.id as of_webhook from new_event
    join webhooks on host_id = host and enabled and new_type = any (webhooks.events)
  ), stored_event as (
    insert into events (host_id, id, type, data, conversation_id, intake_record_id)
    select distinct on (new_id) host, new_id, new_type, new_json::json, nullif(conversation, '')::uuid, nullif(intake_record, '')::uuid
    from wanted_event
  )
  insert into deliveries (host_id, event_id, webhook_id) select host, new_id, of_webhook from wanted_event;
end $$;
