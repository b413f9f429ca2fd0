/** Who wrote a note: see `person_id` of messages in 0111. */
export const noteAuthors = `
  alter table notes add column person_id uuid;
`;
