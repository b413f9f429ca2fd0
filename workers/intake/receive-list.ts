import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { findMapping } from '../../db/intake/crm-mappings.ts';
import { type Arrival, type IntakeRecord, intakeStates } from '../../db/intake/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import {
  type Failure,
  failure,
  fieldFailure,
  isFailure,
  type Outcome,
} from '../../queues/contract/failure.ts';
import type { Mapping } from '../domain/crm/mapping.ts';
import { type ListedRecords, listRecords, mayListRecords } from '../domain/crm/record-fields.ts';
import type { BackgroundMapper } from './background-mapper.ts';
import { mapStoredRecords } from './map-stored-record.ts';

/*
 * Several records in one body, if the mapping says so. All are stored as received, each in a body of its own, before the first
 * is mapped. Each may fail alone: the answer has a line for each, as for a signed list. A job that runs again finds its
 * records.
 */

/** Two records of a list with one id arrive in their order: the last one is the latest, as in a signed list. */
const ORDER_STEP_MS = 0.001;

/** Returns the records that the host's mapping finds in the body; undefined if the body is one record. */
export async function findListed(
  db: Db,
  hostId: string,
  { kind, body }: Arrival,
): Promise<ListedRecords | undefined> {
  // The mapping is not read for an ordinary record.
  if (!mayListRecords(body)) return undefined;
  const own = await withHost(db, hostId, scope => findMapping(scope, kind));
  return own && listRecords(body as object, own.mapping as Mapping);
}

export interface ListParts {
  readonly db: Db;
  /** Undefined: a replay of a signed message. */
  storeArrival(hostId: string, arrival: Arrival): Promise<IntakeRecord | undefined>;
  /** Returns whether the record is mapped after the answer. */
  mapLater(record: IntakeRecord): boolean;
  readonly runMapping: BackgroundMapper['run'];
}

type Line = Outcome<unknown> & { readonly message: string };

/** Returns the lines of the answer, or why there are none. */
export async function receiveList(
  { db, storeArrival, mapLater, runMapping }: ListParts,
  job: { readonly hostId: string; readonly signal: AbortSignal },
  arrivals: readonly (Arrival | Failure)[],
): Promise<readonly Line[] | Failure> {
  const { hostId, signal } = job;
  const stored = await Promise.all(
    arrivals.map(async each => (isFailure(each) ? each : storeArrival(hostId, each))),
  );
  if (!stored.some(Boolean)) return failure('signature-invalid');
  const outcomes = stored.map((record): Outcome<unknown> | undefined => {
    if (!record) return failure('signature-invalid');
    if (isFailure(record)) return record;
    return mapLater(record) ? { code: 202, data: { recordId: record.id, state: 'received' } } : undefined;
  });
  const left = stored.flatMap((record, at) =>
    outcomes[at] || !record || isFailure(record) ? [] : [record.id],
  );
  const onFailed = (error: unknown) => {
    if (isDatabaseUnavailable(error)) throw error;
    return failure('internal');
  };
  const mapped = await mapStoredRecords(db, hostId, left, intakeStates, {
    signal,
    onFailed,
    run: work => runMapping(hostId, signal, work),
  });
  const lines = outcomes.map((outcome, at) => {
    const record = stored[at];
    const id = record && !isFailure(record) ? record.id : '';
    return lineOf(outcome ?? mapped.get(id) ?? failure('unavailable'));
  });
  // The caller may send the whole list again: stored records are left unchanged.
  return lines.some(({ code }) => code === 503) ? failure('unavailable') : lines;
}

export function arrivalsOf(arrival: Arrival, { path, bodies }: ListedRecords): (Arrival | Failure)[] {
  const { jobId, arrivedAt, signed } = arrival;
  return bodies.map((body, at) => {
    if (!body)
      return fieldFailure(`${path}[${at}]`, 'type', { values: ['object'], message: 'must be an object' });
    return {
      ...arrival,
      jobId: `${jobId}.${at}`,
      arrivedAt: arrivedAt + at * ORDER_STEP_MS,
      body,
      signed: signed && { ...signed, message: `${signed.message}.${at}` },
    };
  });
}

function lineOf(outcome: Outcome<unknown>): Line {
  if (isFailure(outcome)) return { ...outcome, data: outcome.data ?? {} };
  return { ...outcome, message: outcome.code === 202 ? 'Accepted' : 'Success' };
}
