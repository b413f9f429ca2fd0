/** What a host paid with a key of its own: it counts as spend, and not against the budgets. */
export const spendOfHosts = `
  alter table spend_deltas add column own_cost numeric not null default 0;
  alter table spend_days add column own_cost numeric not null default 0;
`;
