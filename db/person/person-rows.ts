import { REHEARSAL_PLATFORM } from '../conversations/conversations.ts';
import { Fragment, rowsOf, sql } from '../rows-of.ts';
import type { SearchTable } from '../search/records.ts';
import type { HostScope } from '../with-hosts.ts';
import type { Person } from './person.ts';
import {
  containsIdentifier,
  conversationText,
  namesOtherEmail,
  namesOtherPerson,
  namesPerson,
  wordsNamePerson,
} from './person-conditions.ts';
import {
  exactKey,
  exactKeyOfWhatsApp,
  isUnclearPhone,
  keysOfWhatsApp,
  unclearDigitsOf,
} from './phone-matches.ts';

/*
 * The one list of tables and rows about a person that are exported and erased, except the words of `search_host_words`, which
 * `erase-person.ts` deletes one by one. A test fails for a table of hosts that is neither in it nor declared to hold nothing
 * about persons.
 */

export interface PersonRows {
  readonly table: string;
  readonly where: Fragment;
  /** Set for copies for the search index, which are erased, and not exported. */
  readonly isIndex?: boolean;
  /** The columns that are exported; undefined: all. Files have their bytes beside the export. */
  readonly exported?: Fragment;
}

export type PersonRecords = Readonly<Record<SearchTable, readonly string[]>>;

/** Finds records of the contact, and records without a contact that name the person. */
export async function findPersonRecords({ tx, hostId }: HostScope, person: Person): Promise<PersonRecords> {
  const { contactIds, emails, phoneKeys, cpfs } = person;
  const isTheirs = sql`(contact_id = any (${contactIds}::uuid[]) or contact_id is null and (
    lower(btrim(email)) = any (${emails}::text[])
    or btrim(email) = '' and ${exactKey(sql`nullif(mobilephone, '')`)} = any (${phoneKeys}::text[])))`;
  const ids = async (rows: Promise<{ id: string }[]>) => (await rows).map(({ id }) => id);
  const leads = await ids(rowsOf<{ id: string }>(tx)`
    select id from leads
    where host_id = ${hostId} and (${isTheirs} or contact_id is null and cpf = any (${cpfs}::text[]))`);
  const own = await ids(rowsOf<{ id: string }>(tx)`
    select id from conversations
    where host_id = ${hostId} and (contact_id = any (${contactIds}::uuid[]) or contact_id is null and (
      lead_id = any (${leads}::uuid[]) or ${exactKeyOfWhatsApp(sql`wpp_id`)} = any (${keysOfWhatsApp(phoneKeys)}::text[])
      or ${namesPerson(conversationText, person)}
      or ${wordsNamePerson(hostId, person)} and not ${namesOtherEmail(person)}))`);
  const isOfOthers = sql`conversation_id <> all (${own}::uuid[]) and not rehearsal`;
  const rehearsals = await ids(rowsOf<{ id: string }>(tx)`
    select id from conversations
    where host_id = ${hostId} and id <> all (${own}::uuid[]) and ${rehearses(hostId, own)}
      and not ${rehearsesQuestionOf(hostId, isOfOthers)}`);
  const conversations = [...own, ...rehearsals];
  const tickets = await ids(rowsOf<{ id: string }>(tx)`
    select id from tickets
    where host_id = ${hostId} and (${isTheirs} or conversation_id = any (${conversations}::uuid[]))`);
  return { leads, conversations, tickets };
}

/** A staff member may have asked the assistant what to answer: that rehearsal has the question of one of these conversations. */
function rehearses(hostId: string, conversations: readonly string[]): Fragment {
  return rehearsesQuestionOf(hostId, sql`conversation_id = any (${conversations}::uuid[])`);
}

/** Reads each text once: 2,000 rehearsals that begin with "Sim", compared one by one with 60,000 such questions, took 3 s. */
function rehearsesQuestionOf(hostId: string, condition: Fragment): Fragment {
  return sql`(id in (
    select copied.conversation_id
    from messages copied join conversations rehearsal on rehearsal.host_id = copied.host_id and rehearsal.id = conversation_id
    where copied.host_id = ${hostId} and author = 'user' and rehearsal.platform = ${REHEARSAL_PLATFORM}
      and content in (
        select content from messages
        where host_id = ${hostId} and author = 'user' and content <> '' and ${condition})))`;
}

/**
 * Finds the conversations without a contact that are left: those that name another e-mail and have the person's phone, or in
 * which the end user wrote an identifier of the person; those whose phone has the person's digits and may be foreign; and
 * rehearsals whose question others have, too. `records` has what is not left.
 */
export async function findConversationsOfOthers(
  { tx, hostId }: HostScope,
  person: Person,
  { conversations }: PersonRecords,
): Promise<string[]> {
  const unclear = unclearDigitsOf(person.phoneKeys);
  const left = await rowsOf<{ id: string }>(tx)`
    select id from conversations
    where host_id = ${hostId} and contact_id is null and id <> all (${conversations}::uuid[])
      and (${namesOtherPerson(conversationText, person)} or ${isUnclearPhone(sql`wpp_id`, unclear)}
        or ${unclear.length === 0 ? sql`false` : wordsNamePerson(hostId, { emails: [], cpfs: [], phoneKeys: unclear })}
        or ${wordsNamePerson(hostId, person)} and ${namesOtherEmail(person)}
        or ${rehearses(hostId, conversations)})
    order by created_at, id`;
  return left.map(({ id }) => id);
}

const fileColumns = sql`host_id, id, conversation_id, message_seq, turn_id, name, media_type, size, transcript, created_at`;

/** Lists the rows in an order in which they can be deleted. */
export async function listPersonRows(
  scope: HostScope,
  person: Person,
  records: PersonRecords,
): Promise<PersonRows[]> {
  const { hostId } = scope;
  const { conversations, leads, tickets } = records;
  const all = Object.values(records).flat();
  const raw = await findRawBodies(scope, person, [...leads, ...tickets]);
  const having = (column: Fragment, ids: readonly string[]) =>
    sql`host_id = ${hostId} and ${column} = any (${ids}::uuid[])`;
  const ofIndex = having(sql`origin_id`, all);
  return [
    { table: 'replies', where: isReplyAbout(scope, person, records) },
    // Waiting deliveries are not sent any more.
    {
      table: 'deliveries',
      where: sql`host_id = ${hostId}
        and event_id in (select id from events where ${isEventAbout(scope, person, records, raw)})`,
    },
    { table: 'events', where: isEventAbout(scope, person, records, raw) },
    { table: 'intake_records', where: having(sql`id`, raw) },
    ...(await listTablesBelow(scope)).map(table => ({
      table,
      where: having(sql`conversation_id`, conversations),
      ...(table === 'files' ? { exported: fileColumns } : {}),
    })),
    { table: 'turn_attachments', where: having(sql`conversation_id`, conversations) },
    {
      table: 'consents',
      where: sql`host_id = ${hostId} and (
        contact_id = any (${person.contactIds}::uuid[]) or conversation_id = any (${conversations}::uuid[]))`,
    },
    { table: 'tickets', where: having(sql`id`, tickets) },
    { table: 'conversations', where: having(sql`id`, conversations) },
    { table: 'leads', where: having(sql`id`, leads) },
    { table: 'contacts', where: having(sql`id`, person.contactIds) },
    { table: 'search_records', where: ofIndex, isIndex: true },
    { table: 'search_repairs', where: ofIndex, isIndex: true },
    // Outbox lines that remove a record from the index have no text.
    { table: 'search_outbox', where: sql`${ofIndex} and operation <> 'DELETE'`, isIndex: true },
  ];
}

/** Finds the raw bodies of these records, and those that became no record and name the person. */
async function findRawBodies(
  { tx, hostId }: HostScope,
  person: Person,
  recordIds: readonly string[],
): Promise<string[]> {
  const bodies = await rowsOf<{ id: string }>(tx)`
    select id from intake_records intake_record
    where host_id = ${hostId} and (
      record_id = any (${recordIds}::uuid[])
      or not exists (
          select from leads where host_id = ${hostId} and id = record_id
          union all select from tickets where host_id = ${hostId} and id = record_id)
        and ${namesPerson(sql`body::jsonb`, person)})`;
  return bodies.map(({ id }) => id);
}

/** Returns the name of a table of this list, for a statement. */
export function nameTable({ table }: PersonRows): Fragment {
  return new Fragment([table], []);
}

function isReplyAbout({ hostId }: HostScope, person: Person, records: PersonRecords): Fragment {
  return sql`(host_id = ${hostId} or also_hosts @> array[${hostId}::uuid]) and (
    about = any (${records.conversations}::uuid[])
    or job_id in (select id from turns
      where host_id = ${hostId} and conversation_id = any (${records.conversations}::uuid[]))
    or ${namesRecord(sql`outcome`, person, records)}
    or ${containsIdentifier(sql`outcome::jsonb`, person)})`;
}

/** The reply has the id of a person's record, and so perhaps the person's words. */
function namesRecord(reply: Fragment, { contactIds }: Person, records: PersonRecords): Fragment {
  const ids = [...contactIds, ...Object.values(records).flat()];
  return sql`exists (select from unnest(${ids}::text[]) id where strpos(lower(${reply}::text), id) > 0)`;
}

/** Whether the event is about the person, carries an identifier of theirs, or is a reply with one of their records. */
function isEventAbout(
  { hostId }: HostScope,
  person: Person,
  records: PersonRecords,
  intakeRecords: readonly string[],
): Fragment {
  return sql`host_id = ${hostId} and (
    conversation_id = any (${records.conversations}::uuid[])
    or intake_record_id = any (${intakeRecords}::uuid[])
    or type = 'job.completed' and ${namesRecord(sql`data`, person, records)}
    or ${containsIdentifier(sql`data::jsonb`, person)})`;
}

/** Lists every table that cascades from conversations, including future ones. Messages come before turns. */
async function listTablesBelow({ tx }: HostScope): Promise<string[]> {
  const tables = await rowsOf<{ name: string }>(tx)`
    select conrelid::regclass::text as name from pg_constraint
    where confrelid = 'conversations'::regclass and confdeltype = 'c' order by 1`;
  return tables.map(({ name }) => name);
}
