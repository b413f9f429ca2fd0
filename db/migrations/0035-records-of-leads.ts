/** Finds the arrivals of one lead or ticket, where an older one is processed after a later one. */
export const recordsOfLeads = `
  create index intake_records_by_record on intake_records (host_id, record_id) where record_id is not null;
`;
