import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isAfter, type PageOf, placeOf, readRowsThatFit, type TimedRow, type TimeKey } from '../pages.ts';
import { Fragment, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { leadTexts } from './crm-records.ts';

/*
 * Leads and tickets as they are stored, the newest first. Both lists are sorted by when the row was stored, which never
 * changes.
 */

type Ticket = DataOf<'listTickets'>['items'][number];
type Lead = DataOf<'listLeads'>['items'][number];

export interface RecordFilter {
  readonly id?: string | undefined;
  readonly externalId?: string | undefined;
  readonly contactId?: string | undefined;
  /** Inclusive. */
  readonly createdSince?: Date | undefined;
}

const shared = sql`kind, external_id as "externalId", contact_id as "contactId", firstname, lastname, email, mobilephone,
    stage, inter_data as "interData", warnings`;
const last = sql`created_at at time zone 'UTC' as "createdAt", updated_at at time zone 'UTC' as "updatedAt",
    ${placeOf(sql`created_at`, sql`id`)}`;

export async function listTickets(
  scope: HostScope,
  filter: RecordFilter,
  page: PageOf<TimeKey>,
): Promise<(Ticket & TimedRow)[]> {
  const columns = sql`conversation_id as "conversationId", subject, content, campus, opened_at at time zone 'UTC' as "openedAt",
    solved_at at time zone 'UTC' as "solvedAt"`;
  const source = {
    table: sql`tickets`,
    id: sql`id as "ticketId"`,
    columns,
    kinds: sql`array['tickets', 'objects']`,
  };
  return listRecords<Ticket & TimedRow>(scope, source, filter, page);
}

export async function listLeads(
  scope: HostScope,
  filter: RecordFilter,
  page: PageOf<TimeKey>,
): Promise<(Lead & TimedRow)[]> {
  const columns = sql`date_of_birth::text, ${new Fragment([leadTexts.join(', ')], [])}`;
  const source = {
    table: sql`leads`,
    id: sql`id as "leadId"`,
    columns,
    kinds: sql`array['deals', 'objects']`,
  };
  return listRecords<Lead & TimedRow>(scope, source, filter, page);
}

interface Source {
  readonly table: Fragment;
  readonly id: Fragment;
  readonly columns: Fragment;
  /** The unique index finds a record by its external id, where it has one. */
  readonly kinds: Fragment;
}

function listRecords<Row>(
  { tx, hostId }: HostScope,
  { table, id: listedId, columns, kinds }: Source,
  { id, externalId, contactId, createdSince }: RecordFilter,
  { limit, after }: PageOf<TimeKey>,
): Promise<Row[]> {
  const ofId = id === undefined ? sql`` : sql`and id = ${id}::uuid`;
  const ofExternalId =
    externalId === undefined ? sql`` : sql`and kind = any (${kinds}) and external_id = ${externalId}`;
  const ofContact = contactId === undefined ? sql`` : sql`and contact_id = ${contactId}::uuid`;
  const since = createdSince ? sql`and created_at >= ${createdSince}::timestamptz` : sql``;
  return readRowsThatFit<Row>(
    tx,
    sql`select ${listedId}, ${shared}, ${columns}, ${last} from ${table}
      where host_id = ${hostId} ${ofId} ${ofExternalId} ${ofContact} ${since} ${isAfter(sql`created_at`, sql`id`, after)}
      order by created_at desc, id desc limit ${limit}`,
    sql`at desc, "rowId" desc`,
  );
}
