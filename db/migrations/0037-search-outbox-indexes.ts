/** For the lines of one record, and for the oldest free lines of each host. */
export const searchOutboxIndexes = `
  create index search_outbox_records on search_outbox (host_id, origin_table, origin_id);
  create index search_outbox_free on search_outbox (host_id, seq) where claimed_at is null;
`;
