/**
 * For lists of records in pages, the newest first: without a filter, of a contact, and of intake records by state and kind. Those
 * that begin with the same columns replace the former ones.
 */
export const recordLists = `
  create index on tickets (host_id, created_at, id);
  create index on tickets (host_id, contact_id, created_at, id);
  drop index tickets_host_id_contact_id_idx;

  create index on leads (host_id, created_at, id);
  create index on leads (host_id, contact_id, created_at, id);
  drop index leads_host_id_contact_id_idx;

  create index on intake_records (host_id, state, kind, arrived_at, id);
  drop index intake_records_host_id_state_arrived_at_idx;
`;
