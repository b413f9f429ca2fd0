/** Conversations that still say something of a person, by when somebody last spoke there. */
export const conversationsToEmpty = `
  create index conversations_to_empty on conversations ((coalesce(last_message_at, created_at)))
    where (dialogue_summary, main_topic, tip, heat_score_description, sentiment_score_explanation, user_name, wpp_id,
      global_data) <> ('', '', '', '', '', '', '', '{}'::jsonb);
`;
