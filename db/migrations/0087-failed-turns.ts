/** Turns that failed, and the conversations in which somebody still waits for an answer because of that. */
export const failedTurns = `
  -- What its caller was told, where no model answered: 408, 429, 500 or 503. Kept when the turn runs again.
  alter table turns add column failed_code smallint;
  -- The release creates it anew, with one parameter more.
  drop function if exists abandon_turn(uuid, text, integer);
  -- When the last question came that failed; null where there is none, or an answer came since.
  alter table conversations add column unanswered_at timestamptz;
  create index conversations_unanswered on conversations
    (host_id, closed, archived, (case when last_message_at is null then created_at else last_message_at end), id)
    where unanswered_at is not null;
`;
