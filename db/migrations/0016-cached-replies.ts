/**
 * A cached reply names the row that it tells of, and goes with any write to that row. A trigger sees to it, so that no
 * writer of today or tomorrow can forget it. It looks only once the row is the writer's: a reader that held the row
 * still has committed what it stored by then.
 */
export const cachedReplies = `
  alter table replies add about uuid;
  create index on replies (host_id, about) where about is not null;

  create function drop_cached_replies() returns trigger language plpgsql as $$
  begin
    delete from replies where host_id = old.host_id and about = old.id;
    return null;
  end $$;
  create trigger drop_cached_replies after update or delete on avatars
    for each row execute function drop_cached_replies();
  create trigger drop_cached_replies after update or delete on conversations
    for each row execute function drop_cached_replies();
`;
