/**
 * For the pages of lists whose filter few of many rows match: deliveries of a webhook or in a state, and audited changes by one
 * operation. Without them such a page read all rows of the host.
 */
export const filteredLists = `
  create index deliveries_listed on deliveries (host_id, webhook_id, state, created_at, id);
  create index audit_entries_of_operation on audit_entries (host_id, operation, created_at, id);
`;
