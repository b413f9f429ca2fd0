import type { Knex } from 'knex';
import type { Db } from '../connection.ts';
import { lockContact } from '../conversations/contacts.ts';
import { rowsOf } from '../rows-of.ts';
import { lockRecords, type SearchTable } from '../search/records.ts';
import { deleteUnusedWords, listUnusedWords, type WordPage } from '../search/words.ts';
import type { HostScope } from '../with-hosts.ts';
import { findPerson } from './person.ts';
import {
  findConversationsOfOthers,
  findPersonRecords,
  listPersonRows,
  nameTable,
  type PersonRecords,
  type PersonRows,
} from './person-rows.ts';

/*
 * Erases a person from a host in one transaction, as the owner.
 *
 *   1. Locks the contact, so that no record of it is stored concurrently; then the conversations, so that a running turn
 *      finds nothing to finish.
 *   2. Locks the records against the indexer, which reads a record under the same lock: it either wrote the row that is
 *      deleted now, or finds the record gone.
 *   3. Deletes the rows of `person-rows.ts`. Triggers write outbox lines that contain only "deleted"; older lines are deleted.
 *   4. Deletes the words that no record of the host contains any more. The reconciliation deletes words of a record that has
 *      just changed, once it is indexed.
 *
 * Daily counts stay: they contain no personal data.
 */

type ErasureCounts = Readonly<Record<string, number>>;

export interface Erasure {
  readonly rows: ErasureCounts;
  /** See `findConversationsOfOthers`. */
  readonly leftConversations: readonly string[];
}

export async function erasePerson(db: Db, hostId: string, identifier: string): Promise<Erasure> {
  return db.transaction(async tx => {
    await tx.raw('set local statement_timeout = 0');
    await endWithClient(tx);
    const scope = { tx, hostId };
    const { emails, phoneKeys } = await findPerson(scope, identifier);
    await lockContact(scope, { email: emails[0], phone: phoneKeys[0] });
    const person = await findPerson(scope, identifier);
    const records = await findPersonRecords(scope, person);
    await lockPersonRecords(scope, records);
    // This comes before the messages are deleted, by which rehearsals are recognized.
    const leftConversations = await findConversationsOfOthers(scope, person, records);
    const rows: Record<string, number> = {};
    for (const found of await listPersonRows(scope, person, records))
      rows[found.table] = await deleteRows(scope, found);
    await analyzeTables(tx, rows);
    const words = await listWords(scope);
    // This comes last, because indexing the host's records waits from here on.
    rows['search_host_words'] = await deleteUnusedWords(scope, words);
    await analyzeTables(tx, { search_host_words: rows['search_host_words'] });
    return { rows, leftConversations };
  });
}

/** Ends the session when the command was killed, even within a statement. Some systems cannot notice it. */
async function endWithClient(tx: Knex.Transaction): Promise<void> {
  await tx.raw(`do $$ begin
    perform set_config('client_connection_check_interval', '1s', true);
  exception when invalid_parameter_value then null; end $$`);
}

/** Planner statistics keep common and sampled values until the next analyze. */
async function analyzeTables(tx: Knex.Transaction, erased: ErasureCounts): Promise<void> {
  const emptied = Object.keys(erased).filter(name => (erased[name] ?? 0) > 0);
  if (emptied.length > 0) await tx.raw(`analyze ${emptied.map(() => '??').join(', ')}`, emptied);
}

async function lockPersonRecords({ tx, hostId }: HostScope, records: PersonRecords): Promise<void> {
  await rowsOf(tx)`
    select from conversations where host_id = ${hostId} and id = any (${records.conversations}::uuid[])
    order by id for update`;
  const keys = Object.entries(records).flatMap(([table, ids]) =>
    ids.map(originId => ({ hostId, originTable: table as SearchTable, originId })),
  );
  await lockRecords(tx, keys);
}

/** Lists words of the host that none of its records contains any more, including words of earlier versions of the erased ones. */
async function listWords(scope: HostScope): Promise<string[]> {
  const words: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { unused, last }: WordPage = await listUnusedWords(scope, after);
    words.push(...unused);
    after = last;
  }
  return words;
}

async function deleteRows({ tx }: HostScope, rows: PersonRows): Promise<number> {
  const deleted = await rowsOf(tx)`delete from ${nameTable(rows)} where ${rows.where} returning 1`;
  return deleted.length;
}
