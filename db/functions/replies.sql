create or replace function drop_cached_replies() returns trigger language plpgsql as $$
begin
  delete from replies where host_id = old.host_id and about = old.id;
  return null;
end $$;
