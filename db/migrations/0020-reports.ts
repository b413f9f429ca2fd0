import { belongsToHost } from './belongs-to-host.ts';

/** The one place that says when a host is open: a bit for each minute of its week, which begins on Monday. */
const openingHours = `
  -- Hours that end no later than they begin end on the next day.
  create function open_minutes_of(business_hours jsonb) returns bit(10080) language sql immutable parallel safe
    return (
      select coalesce(substring(minutes from 1 for 10080) | substring(minutes from 10081), repeat('0', 10080)::bit(10080))
      from (
        select bit_or(rpad(repeat('0', starts) || repeat('1', lasts), 20160, '0')::bit(20160)) as minutes
        from (
          select (day::integer - 1) * 1440 + opens as starts, (closes - opens + 1439) % 1440 + 1 as lasts
          from jsonb_array_elements(business_hours) hours,
            jsonb_array_elements_text(hours -> 'days') day,
            lateral (select (extract(epoch from (hours ->> 'from')::time) / 60)::integer as opens,
              (extract(epoch from (hours ->> 'to')::time) / 60)::integer as closes) clock
        ) stretches
      ) week
    );

  alter table hosts
    add open_minutes bit(10080) not null generated always as (open_minutes_of(business_hours)) stored;

  create function local_day(moment timestamptz, time_zone text) returns date language sql immutable parallel safe
    return (moment at time zone time_zone)::date;

  -- 1970 began on a Thursday.
  create function is_after_hours(moment timestamptz, time_zone text, open_minutes bit) returns boolean
    language sql immutable parallel safe
    return get_bit(open_minutes,
      ((floor(date_part('epoch', moment at time zone time_zone) / 60)::bigint + 4320) % 10080)::integer) = 0;
`;

const tables = `
  create table contracts (
    host_id uuid not null references hosts on delete cascade,
    -- A day of the host's time zone; it is in force until the next one's.
    starts_on date not null,
    -- Of one service.
    price numeric(14, 4) not null check (price >= 0),
    -- A month.
    services integer not null check (services >= 0),
    created_at timestamptz not null default now(),
    primary key (host_id, starts_on)
  );
  ${belongsToHost('contracts')}
  revoke insert, update, delete on contracts from parley_app;

  -- One row for everything that counts, written in its transaction and never changed, so that nobody waits for a counter.
  create table report_deltas (
    host_id uuid not null references hosts on delete cascade,
    id bigint generated always as identity,
    at timestamptz not null,
    -- Who wrote a message, or a service that began.
    kind text not null check (kind in ('user', 'assistant', 'human', 'service')),
    -- Of services alone.
    platform text not null,
    amount integer not null,
    primary key (host_id, id)
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  ${belongsToHost('report_deltas')}
  revoke update, delete on report_deltas from parley_app;

  -- What is folded of them, by the host's local days.
  create table report_days (
    host_id uuid not null references hosts on delete cascade,
    day date not null,
    kind text not null check (kind in ('user', 'assistant', 'human', 'service')),
    platform text not null,
    total bigint not null,
    after_hours bigint not null,
    primary key (host_id, day, kind, platform) include (total, after_hours)
  );
  ${belongsToHost('report_days')}
  revoke insert, update, delete on report_days from parley_app;

  -- A service is a conversation from its first message of the user on, and anew from each that opens it again.
  alter table messages add opens_service boolean not null default false;
  create index on messages (host_id, created_at) include (author, opens_service);
  create index on messages (host_id, conversation_id) where opens_service;

  create index on tickets (host_id, opened_at) include (solved_at);
  drop index tickets_host_id_opened_at_idx;
`;

const writing = `
  -- Any text may be a platform: a key of an index has to end somewhere.
  create function report_platform(platform text) returns text language sql immutable parallel safe
    return left(platform, 100);

  create function mark_service() returns trigger language plpgsql as $$
  begin
    new.opens_service := new.reopens or not exists (
      select from messages
      where host_id = new.host_id and conversation_id = new.conversation_id and opens_service);
    return new;
  end $$;
  create trigger mark_service before insert on messages
    for each row when (new.author = 'user') execute function mark_service();

  create function note_messages() returns trigger language plpgsql as $$
  begin
    insert into report_deltas (host_id, at, kind, platform, amount)
    select host_id, created_at, author, '', 1 from added where author <> 'system'
    union all
    select added.host_id, added.created_at, 'service', report_platform(platform), 1
    from added join conversations conversation
      on conversation.host_id = added.host_id and conversation.id = added.conversation_id
    where opens_service;
    return null;
  end $$;
  create trigger note_messages after insert on messages referencing new table as added
    for each statement execute function note_messages();

  -- A conversation may tell its platform late: its services go along.
  create function move_services() returns trigger language plpgsql as $$
  begin
    insert into report_deltas (host_id, at, kind, platform, amount)
    select host_id, created_at, 'service', report_platform(side.platform), side.amount
    from messages, (values (old.platform, -1), (new.platform, 1)) side (platform, amount)
    where host_id = new.host_id and conversation_id = new.id and opens_service;
    return null;
  end $$;
  create trigger move_services after update of platform on conversations
    for each row when (old.platform <> new.platform) execute function move_services();
`;

const folding = `
  -- What has been counted and is not folded yet. Gives how many of them it took, at most so many.
  create function fold_report_deltas(most integer) returns bigint language sql as $$
    with claimed as (
      delete from report_deltas where (host_id, id) in (
        select host_id, id from report_deltas limit most for update skip locked
      ) returning host_id, at, kind, platform, amount
    ), counted as (
      select host_id, local_day(at, time_zone) as day, kind, platform, sum(amount) as total,
        coalesce(sum(amount) filter (where is_after_hours(at, time_zone, open_minutes)), 0) as after_hours
      from claimed join hosts on hosts.id = claimed.host_id
      group by 1, 2, 3, 4
    ), folded as (
      insert into report_days as standing select * from counted
      on conflict (host_id, day, kind, platform) do update
        set total = standing.total + excluded.total, after_hours = standing.after_hours + excluded.after_hours
    )
    select count(*) from claimed;
  $$;

  -- Counts a host anew from its messages, since its days or its hours are others now. What is erased of them counts no
  -- longer. Deltas go with the same view of the database that the messages are read in: others may write meanwhile.
  create function recount_report_days(host uuid) returns void language sql as $$
    delete from report_days where host_id = host;
    with gone as (delete from report_deltas where host_id = host)
    insert into report_days (host_id, day, kind, platform, total, after_hours)
    select host, local_day(at, time_zone), kind, platform, count(*),
      count(*) filter (where is_after_hours(at, time_zone, open_minutes))
    from hosts, (
      select created_at as at, author as kind, '' as platform
      from messages where host_id = host and author <> 'system'
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

const standing = `
  update messages set opens_service = true where author = 'user' and (reopens or not exists (
    select from messages earlier
    where earlier.host_id = messages.host_id and earlier.conversation_id = messages.conversation_id
      and earlier.author = 'user' and earlier.seq < messages.seq));
  select recount_report_days(id) from hosts;
`;

/*
 * Reports are read from daily counts. Each message and each service leaves a delta in its own transaction; a reconciler
 * folds deltas into the counts of their local day, and a report adds what is not folded yet, so that it is always right.
 */
export const reports = `${openingHours}${tables}${writing}${folding}${standing}`;
