import {
  isAfter,
  microsecondsOf,
  type PagedRow,
  type PageOf,
  readRowsThatFit,
  type TimeKey,
} from '../pages.ts';
import { Fragment, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { leadTexts } from './crm-records.ts';

/*
 * Leads and tickets as they are stored, the newest first. Both lists are sorted by when the row was stored, which never
 * changes.
 */

interface Person {
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
  readonly mobilephone: string;
  readonly stage: string;
}

interface ListedRecord extends Person, PagedRow, TimeKey {
  /** Null for a ticket that the assistant opened. */
  readonly externalId: string | null;
  readonly contactId: string | null;
  readonly interData: { field: string; value: unknown }[];
  readonly warnings: { field: string; message: string }[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ListedTicket extends ListedRecord {
  readonly kind: 'tickets' | 'objects' | 'assistant';
  readonly conversationId: string | null;
  readonly subject: string;
  readonly content: string;
  readonly campus: Record<string, string>;
  readonly openedAt: Date;
  readonly solvedAt: Date | null;
}

export interface ListedLead extends ListedRecord, Readonly<Record<(typeof leadTexts)[number], string>> {
  readonly externalId: string;
  readonly kind: 'deals' | 'objects';
  /** YYYY-MM-DD; null if it is unknown. */
  readonly date_of_birth: string | null;
}

export interface RecordFilter {
  readonly id?: string | undefined;
  readonly externalId?: string | undefined;
  readonly contactId?: string | undefined;
  /** Inclusive. */
  readonly createdSince?: Date | undefined;
}

const shared = sql`kind, external_id as "externalId", contact_id as "contactId", firstname, lastname, email, mobilephone,
    stage, inter_data as "interData", warnings, created_at as "createdAt", updated_at as "updatedAt", id,
    ${microsecondsOf(sql`created_at`)} as at`;

export async function listTickets(
  scope: HostScope,
  filter: RecordFilter,
  page: PageOf<TimeKey>,
): Promise<ListedTicket[]> {
  const columns = sql`conversation_id as "conversationId", subject, content, campus, opened_at as "openedAt",
    solved_at as "solvedAt"`;
  const source = { table: sql`tickets`, columns, kinds: sql`array['tickets', 'objects']` };
  return listRecords<ListedTicket>(scope, source, filter, page);
}

export async function listLeads(
  scope: HostScope,
  filter: RecordFilter,
  page: PageOf<TimeKey>,
): Promise<ListedLead[]> {
  const columns = sql`date_of_birth::text, ${new Fragment([leadTexts.join(', ')], [])}`;
  const source = { table: sql`leads`, columns, kinds: sql`array['deals', 'objects']` };
  return listRecords<ListedLead>(scope, source, filter, page);
}

interface Source {
  readonly table: Fragment;
  readonly columns: Fragment;
  /** The unique index finds a record by its external id, where it has one. */
  readonly kinds: Fragment;
}

function listRecords<Row>(
  { tx, hostId }: HostScope,
  { table, columns, kinds }: Source,
  { id, externalId, contactId, createdSince }: RecordFilter,
  { limit, after }: PageOf<TimeKey>,
): Promise<(Row & PagedRow)[]> {
  const ofId = id === undefined ? sql`` : sql`and id = ${id}::uuid`;
  const ofExternalId =
    externalId === undefined ? sql`` : sql`and kind = any (${kinds}) and external_id = ${externalId}`;
  const ofContact = contactId === undefined ? sql`` : sql`and contact_id = ${contactId}::uuid`;
  const since = createdSince ? sql`and created_at >= ${createdSince}::timestamptz` : sql``;
  return readRowsThatFit<Row>(
    tx,
    sql`select ${shared}, ${columns} from ${table}
      where host_id = ${hostId} ${ofId} ${ofExternalId} ${ofContact} ${since} ${isAfter(sql`created_at`, sql`id`, after)}
      order by created_at desc, id desc limit ${limit}`,
    sql`at desc, id desc`,
  );
}
