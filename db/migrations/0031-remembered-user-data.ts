/** What callers say of the person of a conversation, remembered from turn to turn; emptied like the rest of it. */
export const rememberedUserData = `
  alter table conversations add column user_data jsonb not null default '{}';

  drop index conversations_to_empty;
  create index conversations_to_empty on conversations ((coalesce(last_message_at, created_at)))
    where (dialogue_summary, main_topic, tip, heat_score_description, sentiment_score_explanation, user_name, wpp_id,
      global_data, user_data) <> ('', '', '', '', '', '', '', '{}'::jsonb, '{}'::jsonb);
`;
