import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isAfter, type PageOf, placeOf, readRowsThatFit, type TimedRow, type TimeKey } from '../pages.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { type IntakeState, intakeStates } from './intake-records.ts';

/** A record as a CRM sent it, with what became of it. */
type ReceivedRecord = DataOf<'listIntakeRecords'>['items'][number];
export type ReplayedRecord = DataOf<'replayRecords'>['items'][number];

export interface ReceivedFilter {
  readonly kind?: string | undefined;
  readonly state?: IntakeState | undefined;
}

const outcomeColumns = sql`status, record_table as "entityTable", record_id as "entityId"`;
const allKinds = ['tickets', 'deals', 'objects'];

/**
 * The last arrived first. The index is read once for each kind and state, so that a filter which few of many records
 * match costs no more than none.
 */
export async function listReceivedRecords(
  { tx, hostId }: HostScope,
  { kind, state }: ReceivedFilter,
  { limit, after }: PageOf<TimeKey>,
): Promise<(ReceivedRecord & TimedRow)[]> {
  const keys = sql`
    select received_record.id from unnest(${state ? [state] : intakeStates}::text[]) state_filter (state)
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

export interface ReplayableRecord {
  readonly id: string;
  /** It was received a moment ago: its job may be processing it. */
  readonly isFresh: boolean;
}

/** In the order of their arrival; without those that the host does not have. */
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

/** In the order of their arrival. One that is `received` still, after a replay, is skipped. */
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
