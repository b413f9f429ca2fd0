create or replace function hosts_in_scope() returns uuid[] language sql stable parallel safe
  return nullif(current_setting('parley.hosts', true), '')::uuid[];
