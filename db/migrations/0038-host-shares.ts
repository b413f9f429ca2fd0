/** The weight of a host where the turns of several wait. */
export const hostShares = `
  alter table hosts add column share integer not null default 1 check (share between 1 and 10);
`;
