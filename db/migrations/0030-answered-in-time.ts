/**
 * No answer is stored once the time of its turn is up, however long its transaction waited before it committed: this is
 * checked where the commit begins. Whoever asked has been told by then that there is no answer.
 */
export const answeredInTime = `
  create function demand_answered_in_time() returns trigger language plpgsql as $$
  begin
    if clock_timestamp() >= new.deadline then
      raise exception 'the time of turn % is up', new.id using errcode = 'PT408';
    end if;
    return null;
  end $$;
  create constraint trigger answered_in_time after update of state on turns
    deferrable initially deferred
    for each row when (new.state = 'answered' and old.state <> 'answered')
    execute function demand_answered_in_time();

  -- Closed while a person attended, they would be answered with silence for ever.
  update conversations set ask_human_help = false, attended = false where closed and attended;
`;
