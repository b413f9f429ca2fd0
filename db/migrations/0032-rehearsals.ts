/**
 * A rehearsal is a turn that somebody tries the assistant with: its messages count in no report. The service of the
 * conversation is left to the first question that is none, also after a rehearsal has reopened it.
 */
export const rehearsals = `
  alter table turns add rehearsal boolean not null default false;
  alter table messages add rehearsal boolean not null default false;

  drop index messages_host_id_created_at_author_opens_service_idx;
  create index on messages (host_id, created_at) include (author, opens_service) where not rehearsal;

  create or replace function mark_service() returns trigger language plpgsql as $$
  begin
    new.opens_service := new.reopens or not exists (
      select from messages said join conversations conversation
        on conversation.host_id = said.host_id and conversation.id = said.conversation_id
      where said.host_id = new.host_id and said.conversation_id = new.conversation_id and said.opens_service
        and said.created_at >= coalesce(conversation.reopened_at, '-infinity'));
    return new;
  end $$;
  drop trigger mark_service on messages;
  create trigger mark_service before insert on messages
    for each row when (new.author = 'user' and not new.rehearsal) execute function mark_service();

  create or replace function note_messages() returns trigger language plpgsql as $$
  begin
    insert into report_deltas (host_id, at, kind, platform, amount)
    select host_id, created_at, author, '', 1 from added where author <> 'system' and not rehearsal
    union all
    select added.host_id, added.created_at, 'service', report_platform(platform), 1
    from added join conversations conversation
      on conversation.host_id = added.host_id and conversation.id = added.conversation_id
    where opens_service;
    return null;
  end $$;

  create or replace function recount_report_days(host uuid) returns void language sql as $$
    delete from report_days where host_id = host;
    with gone as (delete from report_deltas where host_id = host)
    insert into report_days (host_id, day, kind, platform, total, after_hours)
    select host, local_day(at, time_zone), kind, platform, count(*),
      count(*) filter (where is_after_hours(at, time_zone, open_minutes))
    from hosts, (
      select created_at as at, author as kind, '' as platform
      from messages where host_id = host and author <> 'system' and not rehearsal
      union all
      select messages.created_at, 'service', report_platform(platform)
      from messages join conversations conversation
        on conversation.host_id = messages.host_id and conversation.id = conversation_id
      where messages.host_id = host and opens_service
    ) counted
    where hosts.id = host
    group by 2, 3, 4;
  $$;
`;
