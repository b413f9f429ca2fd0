create or replace function demand_answered_in_time() returns trigger language plpgsql as $$
begin
  if clock_timestamp() >= new.deadline then
    raise exception 'turn % is past its deadline', new.id using errcode = 'PT408';
  end if;
  return null;
end $$;
