import type { Db } from '../connection.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { findPerson } from './person.ts';
import {
  findConversationsOfOthers,
  findPersonRecords,
  listPersonRows,
  nameTable,
  type PersonRows,
} from './person-rows.ts';

/** The rows that `erasePerson` would delete, as of one moment. */
export interface PersonExport {
  /** Rows by table, with all their columns; tables without any are left out. */
  readonly tables: Readonly<Record<string, readonly object[]>>;
  /** See `findConversationsOfOthers`. */
  readonly leftConversations: readonly string[];
}

/** Reads what `erasePerson` would erase, without the copies for the search index. Identifiers are as in `findPerson`. */
export async function exportPerson(db: Db, hostId: string, identifier: string): Promise<PersonExport> {
  return db.transaction(
    async tx => {
      await tx.raw('set local statement_timeout = 0');
      const scope = { tx, hostId };
      const person = await findPerson(scope, identifier);
      const records = await findPersonRecords(scope, person);
      const tables: Record<string, readonly object[]> = {};
      for (const found of await listPersonRows(scope, person, records)) {
        const rows = found.isIndex ? [] : await readRows(scope, found);
        if (rows.length > 0) tables[found.table] = rows;
      }
      return { tables, leftConversations: await findConversationsOfOthers(scope, person, records) };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

async function readRows({ tx }: HostScope, rows: PersonRows): Promise<object[]> {
  const found = await rowsOf<{ row: object }>(tx)`
    select to_jsonb(kept) as row
    from (select ${rows.exported ?? sql`*`} from ${nameTable(rows)} where ${rows.where}) kept`;
  return found.map(({ row }) => row);
}
