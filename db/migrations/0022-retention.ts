/** What old personal text is found by: each row leaves its index as soon as it is emptied. */
export const retention = `
  create index messages_to_empty on messages (created_at) where content <> '';
  create index turns_to_empty on turns (finished_at) where receipt is not null or question is not null;
  create index intake_records_to_delete on intake_records (created_at) where state <> 'received';
`;
