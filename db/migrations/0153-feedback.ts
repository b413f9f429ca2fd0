/** Whether answers were right, as the people who got them, and staff, say. */
export const feedback = `
  create table feedback (
    host_id uuid not null references hosts on delete cascade,
    conversation_id uuid not null,
    turn_id text not null,
    -- The id of a staff member; 'user' for the person of the conversation: the newest of an author counts.
    author text not null,
    person_id uuid,
    score smallint not null,
    -- Null: the score is -1 or 1.
    scale smallint check (scale = 5),
    verdict smallint not null generated always as
      (case when scale is null then score when score <= 2 then -1 when score >= 4 then 1 else 0 end) stored,
    -- What they say, and of staff the right answer.
    text text not null,
    -- The answer as it was: receipts are kept for a time only.
    message_seq bigint not null,
    avatar_id uuid,
    flow_id uuid,
    flow_version integer,
    sources jsonb not null,
    created_at timestamptz(3) not null default clock_timestamp(),
    primary key (host_id, turn_id, author),
    foreign key (host_id, conversation_id) references conversations on delete cascade,
    check (case when scale is null then score in (-1, 1) else score between 1 and 5 end)
  );
  create index on feedback (host_id, conversation_id);
  create index feedback_given on feedback (host_id, created_at, conversation_id) include (verdict);
  create index feedback_to_empty on feedback (created_at) where text <> '';

  alter table gap_questions drop constraint gap_questions_reason_check,
    add constraint gap_questions_reason_check
      check (reason in ('not_found', 'handover', 'withheld', 'human', 'judged'));
`;
