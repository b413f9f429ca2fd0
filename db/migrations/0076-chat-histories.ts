/** See `../conversations/chat-histories.ts`. Only turns of chat requests that name neither a user nor a conversation have digests. */
export const chatHistories = `
  alter table turns add column chat_asked bytea, add column chat_answered bytea;
  create index turns_of_chats on turns (host_id, chat_asked, chat_answered) where chat_asked is not null;
`;
