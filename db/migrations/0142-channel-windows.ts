/** How long after a message of the person a channel takes free text, and how many turns one person may have. */
export const channelWindows = `
  alter table hosts
    -- Hours by platform.
    add column window_hours jsonb not null default '{}' check (jsonb_typeof(window_hours) = 'object'),
    add column turns_per_person_per_hour integer not null default 60 check (turns_per_person_per_hour between 1 and 100000);
  alter table conversations
    add column person_wrote_at timestamptz,
    -- The value of person_wrote_at whose window was told to be closing.
    add column window_told_for timestamptz;
  update conversations set person_wrote_at = last_question.at
  from (
    select host_id, conversation_id, max(created_at) as at from messages where author = 'user' group by 1, 2
  ) last_question
  where last_question.host_id = conversations.host_id and last_question.conversation_id = conversations.id;
  create index conversations_of_windows on conversations (host_id, platform, person_wrote_at) where person_wrote_at is not null;
  create index conversations_of_phones on conversations (host_id, wpp_id) where contact_id is null and wpp_id <> '';
  -- It got two parameters.
  drop function if exists claim_turn(uuid, text, uuid, text, text, timestamptz, double precision, double precision, text,
    boolean, text, text, text, boolean, boolean);
`;
