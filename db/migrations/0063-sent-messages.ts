/** The event that tells the channel what a staff member has written; it is stored only where a webhook wants it. */
export const sentMessages = `
  alter table messages add column event_id uuid;
`;
