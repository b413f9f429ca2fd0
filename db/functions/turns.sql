create or replace function reject_late_answer() returns trigger language plpgsql as $$
begin
  if clock_timestamp() >= new.deadline then
    raise exception 'turn % is past its deadline', new.id using errcode = 'PT408';
  end if;
  return null;
end $$;

-- For what stands among the messages; a role that may write them may not use their sequence.
create or replace function next_message_seq() returns bigint
  language sql volatile security definer set search_path = public, pg_temp
  return nextval('messages_seq_seq');

-- Stores the question of a turn once, if it has one, and returns the conversation. A question reopens a closed one.
create or replace function store_question(host uuid, of_conversation uuid, of_turn text, asked text, is_rehearsal boolean)
  returns conversations language plpgsql as $$
declare
  stored_conversation conversations;
begin
  with question as (
    insert into messages (host_id, conversation_id, turn_id, author, content, reopens, rehearsal)
    select host, of_conversation, of_turn, 'user', asked, closed, is_rehearsal from conversations
    where host_id = host and id = of_conversation and asked is not null
    on conflict (host_id, turn_id, author) do nothing
    returning created_at as asked_at
  )
  update conversations set
    closed = closed and asked_at is null,
    reopened_at = case when closed and asked_at is not null then asked_at else reopened_at end,
    last_message_at = coalesce(asked_at, last_message_at),
    person_wrote_at = case when is_rehearsal then person_wrote_at else coalesce(asked_at, person_wrote_at) end,
    idle_due_at = case when asked_at is null then idle_due_at end,
    updated_at = now()
  from (values (true)) always left join question on true
  where host_id = host and id = of_conversation
  returning conversations.* into stored_conversation;
  return stored_conversation;
end $$;

-- Tells that a turn failed: its caller calls it for the first failure of the turn alone.
create or replace function tell_failure(host uuid, of_turn text, of_conversation uuid, code integer)
  returns void language plpgsql as $$
begin
  perform add_events(host, array[gen_random_uuid()], array['turn.failed'],
    array[json_build_object('turnId', of_turn, 'conversationId', of_conversation, 'code', code)::text],
    array[of_conversation::text], array['']);
end $$;

-- Tells staff, by a line in the dialogue, what a turn called whose answer nobody gets: once for a turn.
create or replace function note_untold_calls(host uuid, of_turn text) returns void language sql as $$
  with line as (
    insert into messages (host_id, conversation_id, turn_id, author, content)
    select host_id, conversation_id, of_turn, 'system', 'O assistente chamou ' || string_agg(name ||
        coalesce(' (resposta ' || (answer ->> 'status') || ')', ' (não se sabe se chegou)'), ', ' order by called_at, id) ||
      ', registro ' || of_turn || ', antes de parar; a pessoa ainda não sabe.'
    from tool_confirmations
    where host_id = host and called_turn = of_turn
      and conversation_id = (select conversation_id from turns where host_id = host and id = of_turn)
    group by host_id, conversation_id
    on conflict (host_id, turn_id, author) do nothing
    returning conversation_id
  )
  update conversations set updated_at = now() from line where host_id = host and id = line.conversation_id
$$;

-- Makes the turn `unanswered` and stores its question; false where the attempt is outdated. Null matches any attempt. Locks the
-- conversation before the turn: the other order would deadlock with a claim. With a code, which its caller is told, it is a turn
-- that failed: it is told once, however often it fails, and its conversation waits for an answer.
create or replace function abandon_turn(host uuid, of_turn text, of_attempt integer, code integer default null)
  returns boolean language plpgsql as $$
declare
  abandoned_turn turns;
  earlier_code integer;
begin
  perform from conversations
  where host_id = host and id = (select conversation_id from turns where host_id = host and id = of_turn)
  for no key update;
  select failed_code into earlier_code from turns where host_id = host and id = of_turn;
  update turns set state = 'unanswered', finished_at = clock_timestamp(), failed_code = coalesce(failed_code, code)
  where host_id = host and id = of_turn and state in ('waiting', 'running')
    and attempt = coalesce(of_attempt, attempt)
  returning * into abandoned_turn;
  if not found then return false; end if;
  -- Most have stored it when they ran.
  if abandoned_turn.question is not null and not exists (
    select from messages where host_id = host and turn_id = of_turn and author = 'user')
  then
    perform store_question(host, abandoned_turn.conversation_id, of_turn,
      coalesce(abandoned_turn.message, abandoned_turn.question), abandoned_turn.rehearsal);
  end if;
  perform note_untold_calls(host, of_turn);
  if code is null or abandoned_turn.rehearsal then return true; end if;
  if is_last_question(abandoned_turn) then
    update conversations set unanswered_at = greatest(unanswered_at, abandoned_turn.arrived_at), updated_at = now()
    where host_id = host and id = abandoned_turn.conversation_id;
  end if;
  if earlier_code is null then
    perform tell_failure(host, of_turn, abandoned_turn.conversation_id, code);
  end if;
  return true;
end $$;

-- Tells a caller of the turns that were superseded, the first arrival first.
create or replace function superseded_turns(host uuid, ids text[]) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('turnId', id, 'supersededBy', superseded_by, 'question', question,
    'replyKey', reply_key, 'replyMac', reply_mac) order by arrived_at, id), '[]')
  from turns where host_id = host and id = any (ids) and superseded_by is not null
$$;

-- Ends the turns that have not acted meanwhile: the claimed one answers their questions.
create or replace function supersede_turns(host uuid, ids text[], claimed text) returns json language plpgsql as $$
declare
  ended_turn turns;
begin
  update turns set state = 'unanswered', finished_at = clock_timestamp(), superseded_by = claimed
  where host_id = host and id = any (ids) and state in ('waiting', 'running') and not has_acted;
  for ended_turn in
    select * from turns where host_id = host and id = any (ids) and superseded_by = claimed order by arrived_at, id
  loop
    perform store_question(host, ended_turn.conversation_id, ended_turn.id,
      coalesce(ended_turn.message, ended_turn.question), ended_turn.rehearsal);
    -- The channel of db/conversations/bursts.ts.
    perform pg_notify('parley_bursts', ended_turn.id);
  end loop;
  return superseded_turns(host, ids);
end $$;

-- Ends a turn before it runs: the newer one runs again with its question, too. Without effect where that has acted meanwhile.
create or replace function join_newer_turn(asking turns, newer text) returns json language plpgsql as $$
begin
  update turns set state = 'waiting', attempt = attempt + case state when 'running' then 1 else 0 end
  where host_id = asking.host_id and id = newer and not has_acted;
  if not found then return '[]'; end if;
  insert into turns as turn (host_id, id, conversation_id, state, arrived_at, deadline, lease_until, question, rehearsal,
    reply_key, reply_mac, finished_at, superseded_by)
  values (asking.host_id, asking.id, asking.conversation_id, 'unanswered', asking.arrived_at, clock_timestamp(),
    clock_timestamp(), asking.question, asking.rehearsal, asking.reply_key, asking.reply_mac, clock_timestamp(), newer)
  on conflict (host_id, id) do update
    set state = 'unanswered', finished_at = clock_timestamp(), superseded_by = newer
    where turn.conversation_id = excluded.conversation_id and not turn.has_acted;
  perform store_question(asking.host_id, asking.conversation_id, asking.id, coalesce(asking.message, asking.question),
    asking.rehearsal);
  perform pg_notify('parley_bursts', newer);
  return superseded_turns(asking.host_id, array[asking.id]);
end $$;

-- The turn, that which superseded it, and so on: what it was asked is asked again with each of them.
create or replace function successors_of(asked turns) returns setof turns language sql stable as $$
  with recursive successor as (
    select asked.*
    union all
    select newer_turn.* from successor
    join turns newer_turn on newer_turn.host_id = successor.host_id and newer_turn.id = successor.superseded_by
  )
  select * from successor
$$;

-- Whether nothing came after the question: no end of the conversation, and no answer but to an earlier turn.
create or replace function is_last_question(asked turns) returns boolean language sql stable as $$
  select exists (
    select from messages question join conversations conversation
      on conversation.host_id = question.host_id and conversation.id = question.conversation_id
    where question.host_id = asked.host_id and question.turn_id = asked.id and question.author = 'user'
      and not conversation.closed and question.created_at >= coalesce(conversation.reopened_at, '-infinity')
      and not exists (
        select from messages answer
        left join turns answered_turn on answered_turn.host_id = answer.host_id and answered_turn.id = answer.turn_id
        where answer.host_id = question.host_id and answer.conversation_id = question.conversation_id
          and answer.author in ('assistant', 'human') and answer.seq > question.seq
          and coalesce((answered_turn.arrived_at, answered_turn.id) > (asked.arrived_at, asked.id), true)))
$$;

-- The turn that runs takes the open questions before its own, and returns their number. Those are unanswered since the last
-- answer, or were superseded by such a question or by this turn. What an unanswered turn was asked that has acted is not
-- answered again.
create or replace function take_open_questions(claimed turns) returns integer language plpgsql as $$
declare
  taken_count integer;
begin
  update turns open_turn set answered_with = claimed.id
  where open_turn.host_id = claimed.host_id and open_turn.conversation_id = claimed.conversation_id
    and (open_turn.arrived_at, open_turn.id) < (claimed.arrived_at, claimed.id)
    -- One that it took in an earlier run may be being read again.
    and (open_turn.state = 'unanswered' or open_turn.answered_with = claimed.id) and not open_turn.has_acted
    and open_turn.rehearsal = claimed.rehearsal and open_turn.question is not null
    and not exists (select from turns newer_turn where newer_turn.host_id = open_turn.host_id
      and newer_turn.id = open_turn.answered_with and newer_turn.state = 'answered')
    and exists (select from successors_of(open_turn) successor where successor.id = claimed.id or is_last_question(successor));
  get diagnostics taken_count = row_count;
  return taken_count;
end $$;

-- Whether a turn of the conversation runs or waits, or will again: the worker of one that lost its lease may be dead.
create or replace function is_asked(host uuid, of_conversation uuid) returns boolean language sql stable as $$
  select exists (select from turns where host_id = host and conversation_id = of_conversation
    and state in ('waiting', 'running') and deadline > clock_timestamp())
$$;

-- The newest conversation of each of these histories that nobody goes on with now, in their order.
create or replace function free_chats(host uuid, histories bytea[]) returns setof uuid language sql stable as $$
  select chat.id from unnest(histories) with ordinality as given (history, at) cross join lateral (
    select id from conversations where host_id = host and chat_history = history
      and last_message_at > now() - interval '24 hours' and not is_asked(host, id)
    order by last_message_at desc limit 1
  ) chat order by at
$$;

-- Returns the conversation that a chat request goes on with which names none, locked: the one of its turn, once this has run there;
-- otherwise the newest that was active within a day and has one of these histories, one that nobody goes on with before others.
-- Who comes second for the only one waits for it, and follows it only if the first got no answer.
create or replace function follow_chat(host uuid, of_turn text, histories bytea[]) returns uuid language plpgsql as $$
declare
  own_turn turns;
  history bytea;
  found_id uuid;
begin
  select * into own_turn from turns where host_id = host and id = of_turn;
  if own_turn.state <> 'waiting' or own_turn.attempt > 0 then return own_turn.conversation_id; end if;
  if own_turn.id is not null then
    select id into found_id from conversations
    where host_id = host and id = own_turn.conversation_id and chat_history = any (histories) for no key update;
    if found then return found_id; end if;
    -- It has stored nothing but its place there.
    delete from turns where host_id = host and id = of_turn and state = 'waiting' and attempt = 0;
  end if;
  foreach history in array histories loop
    select id into found_id from conversations where host_id = host and chat_history = history
      and last_message_at > now() - interval '24 hours' and not is_asked(host, id)
    order by last_message_at desc limit 1 for no key update skip locked;
    if found then return found_id; end if;
  end loop;
  foreach history in array histories loop
    select id into found_id from conversations where host_id = host and chat_history = history
      and last_message_at > now() - interval '24 hours'
    order by last_message_at desc limit 1 for no key update;
    if found then return found_id; end if;
  end loop;
  return null;
end $$;

-- The end of a turn that was answered with a newer one, in an earlier run, maybe while what is attached was read again; null:
-- it runs.
create or replace function follow_newer_turn(asking turns, decided_at timestamptz) returns text language plpgsql as $$
declare
  newer_turn turns;
begin
  select * into newer_turn from turns where host_id = asking.host_id and id = asking.answered_with;
  if newer_turn.state = 'answered' then
    update turns set state = 'unanswered', finished_at = coalesce(finished_at, clock_timestamp()), superseded_by = answered_with
    where host_id = asking.host_id and id = asking.id;
    return 'burst-changed';
  end if;
  -- A turn that runs and has acted answers this question, too: it is not asked again before that has ended.
  return case when newer_turn.state = 'running' and newer_turn.has_acted and newer_turn.lease_until > decided_at
    and newer_turn.deadline > decided_at then 'busy' end;
end $$;

-- Whether the conversation has others that run or wait, whether the turn has to wait for them, those of its burst that it ends, and
-- the newer one that it joins.
create or replace function turns_beside(asking turns, is_last boolean, is_reading boolean, decided_at timestamptz)
  returns table (has_others boolean, is_behind boolean, earlier_ids text[], newer_id text) language sql stable as $$
  with other_turn as (
    select id, arrived_at, (arrived_at, id) < (asking.arrived_at, asking.id) as is_earlier, burst_last,
      lease_until > decided_at as is_alive, state = 'running' as is_running, deadline > decided_at as is_in_time,
      not has_acted and rehearsal = asking.rehearsal and deadline > decided_at as is_in_burst
    from turns
    where host_id = asking.host_id and conversation_id = asking.conversation_id and state in ('waiting', 'running')
      and id <> asking.id
  )
  -- Attachments are read while the others of the burst run: none of them is ended for a recording that cannot be heard.
  select count(*) > 0, coalesce(bool_or(is_alive and (is_running or (is_in_time and is_earlier))
      and not (is_reading and is_in_burst and (case when is_earlier then is_last else burst_last end))), false),
    coalesce(array_agg(id) filter (where is_last and is_in_burst and is_earlier and not is_reading), '{}'),
    -- One whose worker died answers what came before it when it runs again.
    (array_agg(id order by arrived_at desc, id desc)
      filter (where is_in_burst and burst_last and is_alive and not is_earlier))[1]
  from other_turn
$$;

-- The seconds until the person may have another turn; null where that is now. The person is the contact of the conversation, or of
-- the e-mail or phone that comes with its first question; else whoever has its wpp_id. A question that waits counts, too.
create or replace function seconds_of_person_limit(
  host uuid, of_conversation uuid, given_email text, given_phone text, decided_at timestamptz
) returns integer language plpgsql stable as $$
declare
  talk conversations;
  person uuid;
  most integer;
  bound_at timestamptz;
begin
  select * into talk from conversations where host_id = host and id = of_conversation;
  person := coalesce(talk.contact_id,
    (select id from contacts where host_id = host and email_folded = lower(btrim(given_email)) order by created_at, id limit 1),
    (select id from contacts where host_id = host and phone_key = phone_key(given_phone)
      and (email_folded is null or given_email is null) order by created_at, id limit 1));
  if person is null and talk.wpp_id = '' then return null; end if;
  select turns_per_person_per_hour into most from hosts where id = host;
  select asked.at into bound_at
  from (
    select id from conversations
    where host_id = host and contact_id = person and last_message_at > decided_at - interval '1 hour'
    union
    select id from conversations
    where person is null and host_id = host and contact_id is null and wpp_id = talk.wpp_id and wpp_id <> ''
    union
    select of_conversation
  ) of_person cross join lateral (
    -- The newest are read, and not those of an hour: a long conversation has thousands before it.
    select created_at as at from (
      select created_at from messages
      where host_id = host and conversation_id = of_person.id and author = 'user' and turn_id is not null and not rehearsal
      order by seq desc limit most
    ) newest_question
    union all
    select arrived_at from turns
    where host_id = host and conversation_id = of_person.id and state in ('waiting', 'running') and deadline > decided_at
      and not rehearsal and not exists (
        select from messages where messages.host_id = host and turn_id = turns.id and author = 'user')
  ) asked
  where asked.at > decided_at - interval '1 hour'
  order by asked.at desc offset most - 1 limit 1;
  if not found then return null; end if;
  return greatest(1, ceil(extract(epoch from bound_at + interval '1 hour' - decided_at)));
end $$;

-- Locks the conversation, decides whether the turn runs, and applies what follows from that. db/conversations/turns.ts has the
-- states of a turn and the rules of precedence, bursts.ts the rules of bursts. Every time is compared with the clock as it is once
-- the conversation is locked. The outcome is one of
--   no-avatar, no-conversation, has-reply, expired, person-limit (with the seconds until it is over), busy, burst-changed (with `superseded`),
--   claimed (with the attempt, the number of open questions and the conversation).
-- A busy turn has the attempt of its last run; null where another job runs it.
-- `is_reading`: the turn runs to read what is attached to it, which is its question, and claims again with that.
create or replace function claim_turn(host uuid, avatar_slug text, of_conversation uuid, open_on text, of_turn text,
    arrived timestamptz, remaining_ms double precision, lease_ms double precision, asked text, is_rehearsal boolean,
    burst text, key text, mac text, is_new_job boolean, is_reading boolean,
    given_email text default null, given_phone text default null,
    out outcome text, out run integer, out open_questions integer, out superseded json, out conversation conversations)
  language plpgsql as $$
declare
  ends_at timestamptz := statement_timestamp() + remaining_ms * interval '1 millisecond';
  decided_at timestamptz;
  own_turn turns;
  is_known boolean;
  is_leased boolean;
  is_of_person boolean;
  of_host text;
  is_last boolean;
  has_others boolean;
  is_behind boolean;
  is_alone boolean := is_reading or coalesce(burst = 'none', false);
  earlier_ids text[];
  newer_id text;
  claimed_turn turns;
begin
  select bursts into of_host from hosts where id = host and exists (
    select from avatars where host_id = host and sub_slug = coalesce(avatar_slug, sub_slug) and not deleted);
  if not found then
    outcome := 'no-avatar';
    return;
  end if;
  if open_on is not null then
    insert into conversations (host_id, id, platform) values (host, of_conversation, open_on)
    on conflict (host_id, id) do nothing;
  end if;
  -- Where staff attend, no model is called, and a question that is refused is not stored: staff would not see it.
  select not attended and (contact_id is not null or wpp_id <> '' or given_email is not null or given_phone is not null)
  into is_of_person from conversations
  where host_id = host and id = of_conversation for no key update;
  if not found then
    outcome := 'no-conversation';
    return;
  end if;
  decided_at := clock_timestamp();

  select * into own_turn from turns where host_id = host and id = of_turn;
  is_known := found;
  if is_known and (own_turn.state = 'answered' or own_turn.superseded_by is not null
    or own_turn.reply_mac is distinct from mac) then
    outcome := 'has-reply';
    return;
  end if;
  is_leased := is_known and is_new_job and own_turn.state = 'running' and own_turn.lease_until > decided_at;
  if ends_at <= decided_at then
    if not is_leased then perform abandon_turn(host, of_turn, null, 408); end if;
    outcome := 'expired';
    return;
  elsif is_leased then
    outcome := 'busy';
    return;
  end if;

  -- Decided once, when the turn arrives: the others are counted, and some may have ended for this one.
  if not is_known and not is_rehearsal and is_of_person then
    run := seconds_of_person_limit(host, of_conversation, given_email, given_phone, decided_at);
    if run is not null then
      outcome := 'person-limit';
      delete from conversations where open_on is not null and host_id = host and id = of_conversation and created_at = now();
      return;
    end if;
  end if;

  -- Almost no turn is answered with a newer one, and to plan that for nothing takes a fifth of a millisecond.
  if own_turn.answered_with is not null then
    outcome := follow_newer_turn(own_turn, decided_at);
    if outcome = 'burst-changed' then
      superseded := superseded_turns(host, array[of_turn]);
    elsif outcome = 'busy' then
      run := own_turn.attempt;
    end if;
    if outcome is not null then return; end if;
  end if;

  -- A run again keeps what the first run decided: the host may have changed its setting.
  is_last := (asked is not null or is_reading) and coalesce(own_turn.burst_last, coalesce(burst, of_host) = 'last');
  own_turn.host_id := host;
  own_turn.id := of_turn;
  own_turn.conversation_id := of_conversation;
  own_turn.arrived_at := arrived;
  own_turn.question := asked;
  own_turn.rehearsal := is_rehearsal;
  own_turn.reply_key := key;
  own_turn.reply_mac := mac;
  select * into has_others, is_behind, earlier_ids, newer_id from turns_beside(own_turn, is_last, is_reading, decided_at);
  if newer_id is not null and not is_alone and own_turn.has_acted is not true then
    outcome := 'burst-changed';
    superseded := join_newer_turn(own_turn, newer_id);
    return;
  end if;

  -- A turn that is alone counts as one that has acted, so that nothing ends it; where it was reading, `noteQuestion` of
  -- db/conversations/bursts.ts clears that, once its question is known.
  insert into turns as turn (host_id, id, conversation_id, state, attempt, arrived_at, deadline, lease_until, question,
    rehearsal, burst_last, has_acted, reply_key, reply_mac)
  select host, of_turn, of_conversation, case when waits then 'waiting' else 'running' end, case when waits then 0 else 1 end,
    arrived, ends_at, decided_at + lease_ms * interval '1 millisecond', asked, is_rehearsal, is_last,
    is_alone, key, mac
  from (values (is_behind or earlier_ids <> '{}')) precedence (waits)
  on conflict (host_id, id) do update
    set state = excluded.state, attempt = turn.attempt + excluded.attempt, lease_until = excluded.lease_until,
      deadline = excluded.deadline, finished_at = null, burst_last = excluded.burst_last,
      -- A newer turn may be answering it while it is read.
      answered_with = case when is_reading then turn.answered_with end
    where turn.conversation_id = excluded.conversation_id
  returning turn.* into claimed_turn;
  if not found then raise exception 'turn % belongs to another conversation', of_turn; end if;
  if earlier_ids <> '{}' then
    outcome := 'burst-changed';
    superseded := supersede_turns(host, earlier_ids, of_turn);
    return;
  elsif claimed_turn.state = 'waiting' then
    run := claimed_turn.attempt;
    outcome := 'busy';
    return;
  end if;

  -- A turn whose lease has expired loses the conversation.
  if has_others then
    update turns set state = 'waiting'
    where host_id = host and conversation_id = of_conversation and state = 'running' and id <> of_turn
      and lease_until <= decided_at;
  end if;
  open_questions := case when is_last and not is_reading then take_open_questions(claimed_turn) else 0 end;
  conversation := store_question(host, of_conversation, of_turn, coalesce(claimed_turn.message, claimed_turn.question),
    claimed_turn.rehearsal);
  run := claimed_turn.attempt;
  outcome := 'claimed';
end $$;
