/**
 * What the baseline leaves out: it was kept for processes of earlier versions. A new database has nothing to drop.
 */
export const dropLeftovers = `
  drop table if exists search_words;
  drop function if exists ignore_insert(), fold_report_deltas(integer);
  delete from function_files where name = 'search-counts';
`;
