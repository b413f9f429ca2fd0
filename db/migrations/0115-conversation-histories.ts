/**
 * The history of a conversation is one digest, that of its dialogue up to its last answer: see `../conversations/chat-histories.ts`.
 * Processes of before still write the columns of `turns`; a later migration drops them.
 */
export const conversationHistories = `
  alter table conversations add column chat_history bytea;
  create index conversations_of_chats on conversations (host_id, chat_history, last_message_at) where chat_history is not null;
  update conversations conversation set chat_history = last_turn.chat_answered
  from (
    select distinct on (host_id, conversation_id) host_id, conversation_id, chat_answered from turns
    where state = 'answered' and finished_at > now() - interval '24 hours' and (receipt is not null or question is not null)
    order by host_id, conversation_id, finished_at desc, id desc
  ) last_turn
  where conversation.host_id = last_turn.host_id and conversation.id = last_turn.conversation_id
    and last_turn.chat_answered is not null;

  -- As in 0067: its predicate is that of the query.
  drop index conversations_to_empty;
  create index conversations_to_empty on conversations ((coalesce(last_message_at, created_at)))
    where chat_history is not null
      or (dialogue_summary, main_topic, tip, heat_score_description, sentiment_score_explanation, user_name, wpp_id,
        global_data, user_data, masked_values) <> ('', '', '', '', '', '', '', '{}'::jsonb, '{}'::jsonb, '[]'::jsonb);
`;
