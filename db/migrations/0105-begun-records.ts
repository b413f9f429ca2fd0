/** How often a record that its worker left was begun again, and when last: one that ends its workers must not come back for ever. */
export const begunRecords = `
  alter table intake_records add column begun integer not null default 0, add column begun_at timestamptz;
`;
