import { fieldError } from '../../platform/field-error.ts';
import type { Db } from '../connection.ts';
import { jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { selectLatestMapping } from './crm-mappings.ts';
import { storeMessages } from './signed-messages.ts';

/*
 * Records as a CRM sent them, with their results. The body is stored unchanged except for characters that PostgreSQL
 * cannot store: one escaped NUL would break every query on the bodies.
 *
 *   received   committed before it is processed. If it stays so, its worker died: it is replayed, three times at most
 *   done       stored, or older than the stored record
 *   refused    does not meet the mapping; nothing else was written. Replayed by an operator after a change of the mapping
 *   failed     a bug in the handler, or begun three times without an end. Replayed by an operator
 */

export const intakeStates = ['received', 'done', 'refused', 'failed'] as const;
export type IntakeState = (typeof intakeStates)[number];

export interface Arrival {
  readonly kind: string;
  readonly jobId: string;
  /** Milliseconds on the clock of the queue store, with fractions. */
  readonly arrivedAt: number;
  readonly body: unknown;
  /** Identifies replays of a signed record. */
  readonly signed?: { readonly sourceId: string; readonly message: string } | undefined;
}

export interface IntakeRecord {
  readonly id: string;
  readonly kind: string;
  readonly arrivedAt: Date;
  /** The same time with microseconds, which order arrivals. */
  readonly arrivedAtText: string;
  readonly body: object;
  /** Set if an earlier run refused it. */
  readonly wasRefused: boolean;
  readonly timeZone: string;
  /** The current mapping; null if the host has none of its own. */
  readonly mapping: { readonly version: number; readonly mapping: unknown } | null;
}

export type RecordResult =
  | {
      readonly state: 'done';
      readonly status: string;
      readonly recordTable: string;
      readonly recordId: string;
      readonly mappingVersion: number;
      readonly warnings: readonly unknown[];
    }
  | {
      readonly state: 'refused' | 'failed';
      readonly reasons: readonly unknown[];
      readonly mappingVersion?: number;
    };

const columns = (scope: HostScope) =>
  sql`id, kind, arrived_at as "arrivedAt", arrived_at::text as "arrivedAtText", state = 'refused' as "wasRefused",
    (select time_zone from hosts where id = ${scope.hostId}) as "timeZone",
    ${selectLatestMapping(scope, sql`intake_records.kind`)} as mapping`;

/**
 * Stores arrivals of different jobs; a repeated job finds its own row. Returns undefined in place of an arrival whose signed
 * message another job has stored: nothing of it is stored.
 */
export async function storeArrivals(
  scope: HostScope,
  arrivals: readonly Arrival[],
): Promise<(IntakeRecord | undefined)[]> {
  const messages = arrivals.flatMap(({ jobId, signed }) => (signed ? [{ ...signed, jobId }] : []));
  const replays = await storeMessages(scope, messages);
  const fresh = arrivals.filter(({ jobId }) => !replays.has(jobId));
  const stored = fresh.length === 0 ? new Map() : await insertArrivals(scope, fresh);
  return arrivals.map(({ jobId, body }) => {
    if (replays.has(jobId)) return undefined;
    const record = stored.get(jobId);
    if (!record) throw new Error('The intake record was not stored.');
    return { ...record, body: body as object };
  });
}

type StoredArrival = Omit<IntakeRecord, 'body'>;

async function insertArrivals(
  scope: HostScope,
  arrivals: readonly Arrival[],
): Promise<ReadonlyMap<string, StoredArrival>> {
  const { tx, hostId } = scope;
  const rows = await rowsOf<StoredArrival & { jobId: string }>(tx)`
    insert into intake_records (host_id, kind, job_id, arrived_at, body)
    select ${hostId}, kind, job_id, to_timestamp(arrived_at / 1000), body
    from unnest(${arrivals.map(({ kind }) => kind)}::text[], ${arrivals.map(({ jobId }) => jobId)}::text[],
      ${arrivals.map(({ arrivedAt }) => String(arrivedAt))}::double precision[],
      ${arrivals.map(({ body }) => jsonOf(body))}::json[]) arrival (kind, job_id, arrived_at, body)
    on conflict (host_id, job_id, arrived_at) do update set kind = excluded.kind
    returning job_id as "jobId", ${columns(scope)}`;
  return new Map(rows.map(({ jobId, ...record }) => [jobId, record]));
}

/** A fault leaves an earlier run's result. */
export function finishRecord(scope: HostScope, id: string, result: RecordResult): Promise<void> {
  return finishRecords(scope, [{ id, result }]);
}

/** Does what `finishRecord` does for each, in one statement. */
export async function finishRecords(
  { tx, hostId }: HostScope,
  records: readonly { readonly id: string; readonly result: RecordResult }[],
): Promise<void> {
  const rows = records.map(({ id, result }) => {
    const done = result.state === 'done' ? result : undefined;
    return {
      id,
      state: result.state,
      reasons: 'reasons' in result ? result.reasons : [],
      warnings: done?.warnings ?? [],
      status: done?.status,
      record_table: done?.recordTable,
      record_id: done?.recordId,
      mapping_version: result.mappingVersion,
    };
  });
  await rowsOf(tx)`
    update intake_records record set finished_at = now(),
      (state, reasons, warnings, status, record_table, record_id, mapping_version) =
      (ended.state, ended.reasons, ended.warnings, ended.status, ended.record_table, ended.record_id,
        ended.mapping_version)
    from jsonb_to_recordset(${jsonOf(rows)}::jsonb) ended (id uuid, state text, reasons jsonb, warnings jsonb,
      status text, record_table text, record_id uuid, mapping_version integer)
    where record.host_id = ${hostId} and record.id = ended.id
      and (record.state <> 'done' or ended.state <> 'failed')`;
}

/** Reads the stored records that are in one of the states. */
export async function readRecordsToMap(
  scope: HostScope,
  ids: readonly string[],
  states: readonly IntakeState[],
): Promise<IntakeRecord[]> {
  const { tx, hostId } = scope;
  return rowsOf<IntakeRecord>(tx)`
    select ${columns(scope)}, body from intake_records
    where host_id = ${hostId} and id = any (${ids}::uuid[]) and state = any (${states}::text[])`;
}

/** Locks the records that are still in one of the states, and that nobody else has locked. */
export async function lockRecordsToMap(
  { tx, hostId }: HostScope,
  ids: readonly string[],
  states: readonly IntakeState[],
): Promise<Pick<IntakeRecord, 'id' | 'wasRefused'>[]> {
  return rowsOf<Pick<IntakeRecord, 'id' | 'wasRefused'>>(tx)`
    select id, state = 'refused' as "wasRefused" from intake_records
    where host_id = ${hostId} and id = any (${ids}::uuid[]) and state = any (${states}::text[]) for update skip locked`;
}

const MAX_LATER_ARRIVALS = 50;

/** Names of fields, and where a body may have them: `before` is the prefix of the names at this path. */
export interface NamedFields {
  readonly names: readonly string[];
  readonly places: readonly { readonly path: readonly string[]; readonly before: string }[];
}

/**
 * Finds the fields that a later arrival of this lead or ticket than `arrivedAtText` named. Undefined, meaning unknown,
 * if later ones are no longer kept or too many. The bodies stay in the database, because 50 of them may be large.
 */
export async function findLaterFields(
  { tx, hostId }: HostScope,
  recordId: string,
  arrivedAtText: string,
  { names, places }: NamedFields,
): Promise<string[] | undefined> {
  const [found] = await rowsOf<{ arrivals: number; named: string[] }>(tx)`
    with later_record as materialized (
      select body from intake_records
      where host_id = ${hostId} and record_id = ${recordId} and state = 'done' and arrived_at > ${arrivedAtText}::timestamptz
      limit ${MAX_LATER_ARRIVALS + 1}
    ), place as materialized (
      select before, body #> path as content, json_typeof(body #> path) as type
      from later_record, jsonb_to_recordset(${jsonOf(places)}::jsonb) place (path text[], before text)
    ), named as (
      select before || json_object_keys(content) as field from place where type = 'object'
      union select before || generate_series(0, json_array_length(content) - 1) from place where type = 'array'
      union select content ->> 'propertyName' from place where type = 'object' and before = ''
    )
    select (select count(*)::int from later_record) as arrivals,
      array(select field from unnest(${names}::text[]) field where field in (select field from named)) as named`;
  const { arrivals, named } = found ?? { arrivals: 0, named: [] };
  return arrivals === 0 || arrivals > MAX_LATER_ARRIVALS ? undefined : named;
}

export interface LeftOver {
  readonly hostId: string;
  readonly id: string;
}

/** A record that ended its worker, stopped it or lost its transaction each time came back every 20 s for ever. */
const MAX_BEGUN = 3;
const GIVEN_UP = [fieldError('', 'given-up', { limit: MAX_BEGUN })];

/** The pause grows with each time, so that a trouble of some minutes does not use them up, and no two workers begin one. */
const isDue = (pauseMs: number) =>
  sql`(begun = 0 or begun_at < now() - begun * ${pauseMs} * interval '1 millisecond')`;

/**
 * Lists received records that are older than their job can live: the oldest of each host, then the next of each. Works as the
 * owner, for all hosts.
 */
export async function listLeftOver(db: Db, olderThanMs: number, limit: number): Promise<LeftOver[]> {
  return rowsOf<LeftOver>(db)`
    select host_id as "hostId", id from intake_records
    where state = 'received' and created_at < now() - ${olderThanMs} * interval '1 millisecond' and ${isDue(olderThanMs)}
    order by row_number() over (partition by host_id order by arrived_at), arrived_at limit ${limit}`;
}

/**
 * Counts that a left record is begun, or fails it. The caller commits this before it begins, so that a worker that is killed has
 * counted, too. Undefined if another one has it.
 */
export async function beginLeftOver(
  { tx, hostId }: HostScope,
  id: string,
  pauseMs: number,
): Promise<'begun' | 'given-up' | undefined> {
  const [row] = await rowsOf<{ state: IntakeState }>(tx)`
    update intake_records set (begun, begun_at, state, reasons, finished_at) = (select
      least(begun + 1, ${MAX_BEGUN}), now(),
      case when begun < ${MAX_BEGUN} then state else 'failed' end,
      case when begun < ${MAX_BEGUN} then reasons else ${jsonOf(GIVEN_UP)}::jsonb end,
      case when begun < ${MAX_BEGUN} then finished_at else now() end)
    where host_id = ${hostId} and id = any (array(
      select id from intake_records
      where host_id = ${hostId} and id = ${id}::uuid and state = 'received' and ${isDue(pauseMs)} for update skip locked))
    returning state`;
  if (!row) return undefined;
  return row.state === 'failed' ? 'given-up' : 'begun';
}
