create or replace function reject_late_answer() returns trigger language plpgsql as $$
begin
  if clock_timestamp() >= new.deadline then
    raise exception 'turn % is past its deadline', new.id using errcode = 'PT408';
  end if;
  return null;
end $$;
