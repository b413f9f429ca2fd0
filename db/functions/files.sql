-- Objects of files: see db/conversations/file-objects.ts.

create or replace function take_file_object() returns trigger language plpgsql as $$
begin
  delete from file_objects where host_id = new.host_id and object_id = new.object_id and tries = 0;
  if not found then
    raise exception 'the object of file % is being deleted', new.id;
  end if;
  return null;
end
$$;

-- Also a cascade from a host or conversation gets here.
create or replace function leave_file_object() returns trigger language plpgsql as $$
begin
  insert into file_objects (host_id, object_id, due_at) values (old.host_id, old.object_id, now());
  return null;
end
$$;
