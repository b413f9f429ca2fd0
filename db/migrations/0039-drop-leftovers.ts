/**
 * What the baseline leaves out: it was kept for processes of versions that no database of the baseline can have. In a new
 * database there is nothing to drop.
 */
export const dropLeftovers = `
  drop table if exists search_words;
  drop function if exists ignore_insert(), fold_report_deltas(integer);
`;
