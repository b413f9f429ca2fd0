/** Replies that staff type on the phone of a channel, and conversations that go back to the assistant. */
export const channelReplies = `
  alter table hosts add column return_after_minutes integer check (return_after_minutes between 5 and 10080);
  alter table messages
    -- Typed on the phone of the channel, which has it already.
    add column from_channel boolean not null default false,
    -- Digests of the ids that the channel gave it and its parts: each id is taken once.
    add column external_ids bytea[];
  create index messages_of_channels on messages (host_id, conversation_id) where external_ids is not null;
  -- The last word of staff that silenced the assistant: a turn that began before it stays silent.
  alter table conversations add column staff_seq bigint;
  update conversations set staff_seq = (
    select max(seq) from messages
    where messages.host_id = conversations.host_id and conversation_id = conversations.id and author = 'human'
  ) where attended;
  create index conversations_attended on conversations (host_id) where attended;
`;
