/** Conversations whose person fell silent after an answer: callers may resume them. */
export const idleConversations = `
  -- Null: never.
  alter table avatars add column idle_after_minutes integer check (idle_after_minutes between 5 and 10080);
  -- Set with an answer, and cleared with the next message: a silence is told once.
  alter table conversations add column idle_due_at timestamptz;
  create index conversations_idle on conversations (idle_due_at) where idle_due_at is not null;
`;
