/** The version of each file of db/functions that was applied last. */
export const functionFiles = `
  create table function_files (name text primary key, hash text not null);
`;
