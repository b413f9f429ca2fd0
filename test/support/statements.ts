import makeKnex, { type Knex } from 'knex';
import type pg from 'pg';
import { HostTransaction, type Runner, runOnce } from '../../db/host-transaction.ts';

/** Writes statements that no function of the project has: `runIn(tx, table('messages').where({ id }).delete())`. */
export const table = makeKnex({ client: 'pg' });

interface Query {
  toSQL(): { toNative(): { readonly sql: string; readonly bindings: readonly unknown[] } };
}

/** Runs a statement in a scope, and returns its rows. */
export async function runIn(tx: Runner, query: Query | string): Promise<pg.QueryResult['rows']> {
  const { sql, bindings } =
    typeof query === 'string' ? { sql: query, bindings: [] } : query.toSQL().toNative();
  const statement = { text: sql, values: [...bindings] };
  return (await (tx instanceof HostTransaction ? tx.run(statement) : runOnce(tx, statement))).rows;
}

/** Notes the statements that are sent by this pool while `work` runs. */
export async function watchStatements(db: Knex, work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const watched = new Set<pg.Client>();
  const { client } = db;
  const { acquireConnection } = client;
  client.acquireConnection = async () => {
    const connection: pg.Client = await acquireConnection.call(client);
    if (watched.has(connection)) return connection;
    watched.add(connection);
    const { query } = connection;
    connection.query = (...args: [{ text?: string } | string]) => {
      const [statement] = args;
      sent.push(typeof statement === 'string' ? statement : (statement.text ?? ''));
      return Reflect.apply(query, connection, args);
    };
    return connection;
  };
  try {
    await work();
    return sent;
  } finally {
    client.acquireConnection = acquireConnection;
    for (const connection of watched) delete (connection as Partial<pg.Client>).query;
  }
}
