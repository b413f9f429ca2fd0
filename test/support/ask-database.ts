import { Client } from 'pg';

/** Runs one statement on a connection of its own, and returns its rows. */
export async function askDatabase(
  connectionString: string,
  statement: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString });
  // A server that ends while it is asked also tells the connection, where nobody listens.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
