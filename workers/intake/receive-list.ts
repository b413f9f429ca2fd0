import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { findMapping } from '../../db/intake/crm-mappings.ts';
import { type Arrival, type IntakeRecord, intakeStates } from '../../db/intake/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { type Failure, failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { Mapping } from '../domain/crm/mapping.ts';
import { type ListedRecords, listRecords, mayListRecords } from '../domain/crm/record-fields.ts';
import { mapStoredRecords } from './map-stored-record.ts';

/*
 * Several records in one body, where the mapping says. Each is stored as received in a body of its own, all before the first is mapped, and
 * has its own fate: the answer has a line for each, as that of a signed list. A job that runs again finds its records.
 */

/** As between the records of a signed list: of two with one id the last one is the latest arrival. */
const ORDER_STEP_MS = 0.001;

/** The records that the mapping of the host finds in the body; undefined where the body is one record. */
export async function findListed(
  db: Db,
  hostId: string,
  { kind, body }: Arrival,
): Promise<ListedRecords | undefined> {
  // Nothing is read for a record like any other.
  if (!mayListRecords(body)) return undefined;
  const own = await withHost(db, hostId, scope => findMapping(scope, kind));
  return own && listRecords(body as object, own.mapping as Mapping);
}

export interface ListParts {
  readonly db: Db;
  /** Undefined: a replay of a signed message. */
  storeArrival(hostId: string, arrival: Arrival): Promise<IntakeRecord | undefined>;
  /** Whether it is mapped after the answer. */
  mapLater(record: IntakeRecord): boolean;
}

type Line = Outcome<unknown> & { readonly message: string };

/** The lines of the answer, or why there are none. */
export async function receiveList(
  { db, storeArrival, mapLater }: ListParts,
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
  const mapped = await mapStoredRecords(db, hostId, left, intakeStates, { signal, onFailed });
  const lines = outcomes.map((outcome, at) => {
    const record = stored[at];
    const id = record && !isFailure(record) ? record.id : '';
    return lineOf(outcome ?? mapped.get(id) ?? failure('unavailable'));
  });
  // Sent again as a whole, what is stored is left unchanged.
  return lines.some(({ code }) => code === 503) ? failure('unavailable') : lines;
}

export function arrivalsOf(arrival: Arrival, { path, bodies }: ListedRecords): (Arrival | Failure)[] {
  const { jobId, arrivedAt, signed } = arrival;
  return bodies.map((body, at) => {
    if (!body)
      return failure('body-invalid', { fields: [{ path: `${path}[${at}]`, message: 'must be an object' }] });
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
