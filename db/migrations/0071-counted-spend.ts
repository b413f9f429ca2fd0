/** A call that is in the spend of its day stays for a while: where the answer to its recording was lost, it is recorded again. */
export const countedSpend = `
  alter table spend_deltas add column counted_at timestamptz;
  create index spend_deltas_uncounted on spend_deltas (host_id, at) where counted_at is null;
`;
