import type { Db } from '../connection.ts';
import { lockContact } from '../contacts.ts';
import { rowsOf, sql } from '../rows-of.ts';
import { lockRecords, type SearchTable } from '../search/records.ts';
import type { HostScope } from '../with-hosts.ts';
import { findPerson, type Person } from './person.ts';
import {
  containsIdentifier,
  conversationsOfSomebodyElse,
  conversationText,
  namesPerson,
  rawBodiesOf,
} from './person-conditions.ts';

/*
 * Erases a person from a host in one transaction, as the owner.
 *
 *   1. Locks the contact, so that no record of it is stored concurrently; then the conversations, so that a running turn finds nothing to finish.
 *   2. Locks the records against the indexer. It reads a record under the same lock, so it either wrote the row that is deleted now, or finds the record gone.
 *   3. Deletes rows, including those of every table that references a conversation. Triggers write outbox lines that contain only "deleted"; older lines are deleted.
 *
 * Daily counts stay: they contain no personal data.
 */

type ErasureCounts = Readonly<Record<string, number>>;

export interface Erasure {
  /** Deleted rows by table. */
  readonly rows: ErasureCounts;
  /** Conversations with the person's phone that were left, because they name another e-mail. */
  readonly leftConversations: readonly string[];
}

type Records = Readonly<Record<SearchTable, readonly string[]>>;

export async function erasePerson(db: Db, hostId: string, identifier: string): Promise<Erasure> {
  return db.transaction(async tx => {
    await tx.raw('set local statement_timeout = 0');
    await endWithClient(tx);
    const scope = { tx, hostId };
    const { emails, phoneKeys } = await findPerson(scope, identifier);
    await lockContact(scope, { email: emails[0], phone: phoneKeys[0] });
    const person = await findPerson(scope, identifier);
    const records = await recordsOf(scope, person);
    await lockPersonRecords(scope, records);
    const raw = await rawBodiesOf(scope, person, [...records.leads, ...records.tickets]);
    const rows = {
      replies: await eraseReplies(scope, person, records),
      intake_records: await deleteRows(scope, 'intake_records', 'id', raw),
      ...(await eraseBelow(scope, records.conversations)),
      tickets: await deleteRows(scope, 'tickets', 'id', records.tickets),
      conversations: await deleteRows(scope, 'conversations', 'id', records.conversations),
      leads: await deleteRows(scope, 'leads', 'id', records.leads),
      contacts: await deleteRows(scope, 'contacts', 'id', person.contactIds),
      ...(await eraseIndexed(scope, Object.values(records).flat())),
      search_host_words: await eraseWords(scope),
    };
    await forgetStatistics(scope, rows);
    return { rows, leftConversations: await conversationsOfSomebodyElse(scope, person) };
  });
}

/** Ends the session when the command was killed, not only after its statement. Some systems cannot notice it. */
async function endWithClient(tx: HostScope['tx']): Promise<void> {
  await tx.raw(`do $$ begin
    perform set_config('client_connection_check_interval', '1s', true);
  exception when invalid_parameter_value then null; end $$`);
}

/** Planner statistics keep common and sampled values until the next analyze. */
async function forgetStatistics({ tx }: HostScope, erased: ErasureCounts): Promise<void> {
  const emptied = Object.keys(erased).filter(name => (erased[name] ?? 0) > 0);
  if (emptied.length > 0) await tx.raw(`analyze ${emptied.map(() => '??').join(', ')}`, emptied);
}

/** Records of the contact, and records without a contact that name the person. */
async function recordsOf({ tx, hostId }: HostScope, person: Person): Promise<Records> {
  const { contactIds, emails, phoneKeys, cpfs } = person;
  const isTheirs = sql`(contact_id = any (${contactIds}::uuid[]) or contact_id is null and (
    lower(btrim(email)) = any (${emails}::text[])
    or btrim(email) = '' and phone_key(nullif(mobilephone, '')) = any (${phoneKeys}::text[])))`;
  const ids = async (rows: Promise<{ id: string }[]>) => (await rows).map(({ id }) => id);
  const leads = await ids(rowsOf<{ id: string }>(tx)`
    select id from leads
    where host_id = ${hostId} and (${isTheirs} or contact_id is null and cpf = any (${cpfs}::text[]))`);
  const conversations = await ids(rowsOf<{ id: string }>(tx)`
    select id from conversations
    where host_id = ${hostId} and (contact_id = any (${contactIds}::uuid[]) or contact_id is null and (
      lead_id = any (${leads}::uuid[]) or phone_key(nullif(wpp_id, '')) = any (${phoneKeys}::text[])
      or ${namesPerson(conversationText, person)}))`);
  const tickets = await ids(rowsOf<{ id: string }>(tx)`
    select id from tickets
    where host_id = ${hostId} and (${isTheirs} or conversation_id = any (${conversations}::uuid[]))`);
  return { leads, conversations, tickets };
}

async function lockPersonRecords({ tx, hostId }: HostScope, records: Records): Promise<void> {
  await rowsOf(tx)`
    select from conversations where host_id = ${hostId} and id = any (${records.conversations}::uuid[])
    order by id for update`;
  const keys = Object.entries(records).flatMap(([table, ids]) =>
    ids.map(originId => ({ hostId, originTable: table as SearchTable, originId })),
  );
  await lockRecords(tx, keys);
}

/** Stored replies about them. */
async function eraseReplies({ tx, hostId }: HostScope, person: Person, records: Records): Promise<number> {
  const ids = [...person.contactIds, ...Object.values(records).flat()];
  const erased = await rowsOf(tx)`
    delete from replies where (host_id = ${hostId} or also_hosts @> array[${hostId}::uuid]) and (
      about = any (${records.conversations}::uuid[])
      or job_id in (select id from turns
        where host_id = ${hostId} and conversation_id = any (${records.conversations}::uuid[]))
      or exists (select from unnest(${ids}::text[]) id where strpos(lower(outcome::text), id) > 0)
      or ${containsIdentifier(sql`outcome::jsonb`, person)})
    returning job_id`;
  return erased.length;
}

/** Every table that cascades from conversations, including future ones. Messages come before turns. */
async function eraseBelow(scope: HostScope, conversations: readonly string[]): Promise<ErasureCounts> {
  const tables = await rowsOf<{ name: string }>(scope.tx)`
    select conrelid::regclass::text as name from pg_constraint
    where confrelid = 'conversations'::regclass and confdeltype = 'c' order by 1`;
  const erased: Record<string, number> = {};
  for (const { name } of tables)
    erased[name] = await deleteRows(scope, name, 'conversation_id', conversations);
  return erased;
}

async function eraseIndexed(scope: HostScope, ids: readonly string[]): Promise<ErasureCounts> {
  const events = await rowsOf(scope.tx)`
    delete from search_outbox
    where host_id = ${scope.hostId} and origin_id = any (${ids}::uuid[]) and operation <> 'DELETE' returning seq`;
  return {
    search_records: await deleteRows(scope, 'search_records', 'origin_id', ids),
    search_repairs: await deleteRows(scope, 'search_repairs', 'origin_id', ids),
    search_outbox: events.length,
  };
}

/**
 * Words of the host that none of its records contains any more, also words of earlier versions of the erased ones. The
 * sample finds common words that are still in use quickly. The collation is that of the index, which is otherwise not
 * used.
 */
async function eraseWords({ tx, hostId }: HostScope): Promise<number> {
  await tx.raw('set local enable_seqscan = off');
  const erased = await rowsOf(tx)`
    delete from search_host_words known
    where host_id = ${hostId}
      and not exists (
        select from search_records
        where is_sampled(origin_id) and search_keys(host_id, vector) @> array[left(${hostId}, 8) || '1' || known.word collate "default"])
      and not exists (
        select from search_records
        where search_keys(host_id, vector) @> array[left(${hostId}, 8) || '1' || known.word collate "default"])
    returning word`;
  return erased.length;
}

async function deleteRows(
  { tx, hostId }: HostScope,
  table: string,
  column: string,
  ids: readonly string[],
): Promise<number> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'delete from ?? where host_id = ? and ?? = any (?::uuid[])',
    [table, hostId, column, ids as string[]],
  );
  return rowCount;
}
