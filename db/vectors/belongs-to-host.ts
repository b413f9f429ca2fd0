/**
 * Closes a table to everything but the hosts of the transaction. The inner select makes PostgreSQL compare with the
 * list once a statement, not once a row; outside `withHosts` the list is empty and nothing is seen.
 */
export function belongsToHost(table: string, column = 'host_id'): string {
  return `
    alter table ${table} enable row level security;
    create policy of_host on ${table} to parley_app
      using (${column} = any ((select hosts_in_scope())::uuid[]));
    grant select, insert, update, delete on ${table} to parley_app;`;
}
