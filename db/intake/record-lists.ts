import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isAfter, type PageOf, placeOf, readRowsThatFit, type TimedRow, type TimeKey } from '../pages.ts';
import { Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { leadTexts } from './crm-records.ts';
import type { IntakeState } from './intake-records.ts';

/*
 * Lists stored leads and tickets, the newest first. Both lists are sorted by the time when the row was stored, which never
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
  /** The unique index needs the kind to find a record by its external id. */
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

/** A record as a CRM sent it, and its result. */
type ReceivedRecord = DataOf<'listIntakeRecords'>['items'][number];
export type ReplayedRecord = DataOf<'replayRecords'>['items'][number];

interface ReceivedFilter {
  readonly kind?: string | undefined;
  readonly states: readonly IntakeState[];
}

const outcomeColumns = sql`status, record_table as "entityTable", record_id as "entityId"`;
const allKinds = ['tickets', 'deals', 'objects'];

/**
 * Lists the last arrived first. The index is read once for each kind and state, so that a filter that few of many records match
 * costs no more than none.
 */
export async function listReceivedRecords(
  { tx, hostId }: HostScope,
  { kind, states }: ReceivedFilter,
  { limit, after }: PageOf<TimeKey>,
): Promise<(ReceivedRecord & TimedRow)[]> {
  const keys = sql`
    select received_record.id from unnest(${[...new Set(states)]}::text[]) state_filter (state)
    cross join unnest(${kind === undefined ? allKinds : [kind]}::text[]) kind_filter (kind)
    cross join lateral (
      select id, arrived_at from intake_records record
      where record.host_id = ${hostId} and record.state = state_filter.state and record.kind = kind_filter.kind
        ${isAfter(sql`arrived_at`, sql`id`, after)}
      order by arrived_at desc, id desc limit ${limit}
    ) received_record
    order by received_record.arrived_at desc, received_record.id desc limit ${limit}`;
  return readRowsThatFit<ReceivedRecord & TimedRow>(
    tx,
    sql`select id as "recordId", kind, state as fate, ${outcomeColumns}, reasons, warnings, body,
      arrived_at at time zone 'UTC' as "arrivedAt", finished_at at time zone 'UTC' as "finishedAt",
      ${placeOf(sql`arrived_at`, sql`id`)}
    from intake_records where host_id = ${hostId} and id = any (array(${keys}))`,
    sql`at desc, "rowId" desc`,
  );
}

interface ReplayableRecord {
  readonly id: string;
  /** Set if it was received a moment ago: its job may be processing it. */
  readonly isFresh: boolean;
}

/** Finds records in order of arrival; unknown ones are left out. */
export async function findRecordsToReplay(
  { tx, hostId }: HostScope,
  ids: readonly string[],
  freshForMs: number,
): Promise<ReplayableRecord[]> {
  return rowsOf<ReplayableRecord>(tx)`
    select id, state = 'received' and created_at > now() - ${freshForMs} * interval '1 millisecond' as "isFresh"
    from intake_records where host_id = ${hostId} and id = any (${ids}::uuid[])
    order by arrived_at, id`;
}

/** Finds results in order of arrival. A record that is still `received` after a replay was skipped. */
export async function findRecordResults(
  { tx, hostId }: HostScope,
  ids: readonly string[],
): Promise<ReplayedRecord[]> {
  return rowsOf<ReplayedRecord>(tx)`
    select id as "recordId", kind, ${outcomeColumns},
      case state when 'received' then 'skipped' else state end as result, reasons
    from intake_records where host_id = ${hostId} and id = any (${ids}::uuid[])
    order by arrived_at, id`;
}
