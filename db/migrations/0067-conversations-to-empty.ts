/**
 * The index of retention names the masked values, too, as its query does: without them PostgreSQL cannot tell that the index has
 * all rows of the query, and reads and sorts all conversations instead.
 */
export const conversationsToEmpty = `
  drop index conversations_to_empty;
  create index conversations_to_empty on conversations ((coalesce(last_message_at, created_at)))
    where (dialogue_summary, main_topic, tip, heat_score_description, sentiment_score_explanation, user_name, wpp_id,
      global_data, user_data, masked_values) <> ('', '', '', '', '', '', '', '{}'::jsonb, '{}'::jsonb, '[]'::jsonb);
`;
