import type { JsonObject } from '../../platform/json-object.ts';
import {
  isAfter,
  microsecondsOf,
  type PagedRow,
  type PageOf,
  readRowsThatFit,
  type TimeKey,
} from '../pages.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { type IntakeState, intakeStates } from './intake-records.ts';

/** What became of a record; all of the lead or ticket is null where it is not done. */
export interface RecordOutcome {
  readonly id: string;
  readonly kind: 'tickets' | 'deals' | 'objects';
  readonly state: IntakeState;
  readonly status: 'created' | 'updated' | 'unchanged' | null;
  readonly recordTable: 'leads' | 'tickets' | null;
  readonly recordId: string | null;
  readonly reasons: { path: string; message: string }[];
}

/** A record as a CRM sent it, with what became of it. */
export interface ReceivedRecord extends RecordOutcome, PagedRow, TimeKey {
  readonly warnings: { field: string; message: string }[];
  readonly body: JsonObject;
  readonly arrivedAt: Date;
  readonly finishedAt: Date | null;
}

export interface ReceivedFilter {
  readonly kind?: string | undefined;
  readonly state?: IntakeState | undefined;
}

const outcomeColumns = sql`id, kind, state, status, record_table as "recordTable", record_id as "recordId", reasons`;
const allKinds = ['tickets', 'deals', 'objects'];

/**
 * The last arrived first. The index is read once for each kind and state, so that a filter which few of many records
 * match costs no more than none.
 */
export async function listReceivedRecords(
  { tx, hostId }: HostScope,
  { kind, state }: ReceivedFilter,
  { limit, after }: PageOf<TimeKey>,
): Promise<ReceivedRecord[]> {
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
  return readRowsThatFit<ReceivedRecord>(
    tx,
    sql`select ${outcomeColumns}, warnings, body, arrived_at as "arrivedAt", finished_at as "finishedAt",
      ${microsecondsOf(sql`arrived_at`)} as at
    from intake_records where host_id = ${hostId} and id = any (array(${keys}))`,
    sql`at desc, id desc`,
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

/** In the order of their arrival. */
export async function findRecordResults(
  { tx, hostId }: HostScope,
  ids: readonly string[],
): Promise<RecordOutcome[]> {
  return rowsOf<RecordOutcome>(tx)`
    select ${outcomeColumns} from intake_records where host_id = ${hostId} and id = any (${ids}::uuid[])
    order by arrived_at, id`;
}
