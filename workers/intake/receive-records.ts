import { type Db, isDatabaseOutage, isDatabaseUnavailable } from '../../db/connection.ts';
import {
  type Arrival,
  finishRecord,
  type IntakeRecord,
  storeArrivals,
} from '../../db/intake/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { batchCalls, upTo } from '../../platform/batch.ts';
import { isJsonObject } from '../../platform/json-object.ts';
import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { RecordKind } from '../domain/crm/mapping.ts';
import { parseValue } from '../domain/crm/parse-value.ts';
import { isPropertyEvent, type ListedRecords } from '../domain/crm/record-fields.ts';
import type { JobOf } from '../runtime/job.ts';
import { applyRecords, MAX_BATCH, MAX_BATCH_BYTES } from './apply-records.ts';
import type { BackgroundMapper } from './background-mapper.ts';
import { type MappedArrival, mapArrival } from './map-arrival.ts';
import { internalError, noteRefusal } from './map-stored-record.ts';
import { arrivalsOf, findListed, type ListParts, receiveList } from './receive-list.ts';

/*
 * A record is committed before it is processed:
 *
 *   received (committed) -> mapped and stored, together with the reply | refused | failed
 *
 * When a worker dies in between, the record stays `received`: its job runs again and finds it, or, when the job is
 * lost too, `replayLeftOver` does. A 2xx is never sent before the second commit.
 *
 * In a rush both commits are made for many records together.
 *
 * A source with `ack: early` gets its 202 after the first commit, and `background-mapper.ts` makes the second one. If too
 * many records wait for that, this one is mapped before the answer, as without the setting.
 */

type IntakeJob = JobOf<'receiveTicket' | 'receiveDeal' | 'receiveObject'>;

export interface ReceiveParts {
  readonly db: Db;
  readonly storeArrival: ArrivalStore;
  readonly mapTogether: TogetherMapper;
  readonly mapInBackground: BackgroundMapper['add'];
  readonly runMapping: BackgroundMapper['run'];
}

/** Makes handlers that do the same for each kind of record. */
export function makeReceiveRecords(
  { db, storeArrival, mapTogether, mapInBackground, runMapping }: ReceiveParts,
  kind: RecordKind,
) {
  return async (job: IntakeJob): Promise<Outcome<DataOf<'receiveTicket'>>> => {
    const { hostId, source } = job;
    const arrival = arrivalOf(job, kind);
    const mapLater = (record: IntakeRecord) =>
      source?.ack === 'early' && mapInBackground({ hostId, recordId: record.id, size: sizeOf(record) });
    const listed = await findListed(db, hostId, arrival);
    if (listed) return receiveListed({ db, storeArrival, mapLater, runMapping }, job, arrival, listed);
    const record = await storeArrival(hostId, arrival);
    if (!record) return failure('signature-invalid');
    if (mapLater(record)) return toStored(record.id);
    try {
      const arrived = mapArrival(record);
      const outcome = arrived.kind === 'refused' ? arrived.failure : await mapTogether(job, arrived);
      if (isFailure(outcome) && outcome.code === 400)
        await withHost(db, hostId, scope => noteRefusal(scope, arrived, outcome));
      return outcome;
    } catch (error) {
      const result = { state: 'failed', reasons: internalError } as const;
      // A job that was stopped while it waited has not failed: its record stays `received`.
      if (!isDatabaseUnavailable(error) && !job.signal.aborted)
        await withHost(db, hostId, scope => finishRecord(scope, record.id, result));
      throw error;
    }
  };
}

function arrivalOf({ jobId, arrivedAt, body, source }: IntakeJob, kind: RecordKind): Arrival {
  const signed = source?.message === undefined ? undefined : { sourceId: source.id, message: source.message };
  return { kind, jobId, arrivedAt: changedAtOf(body, arrivedAt), body, signed };
}

/** Events of a property come in any order, and count from when it changed. A clock that is ahead must not beat later events. */
function changedAtOf(body: unknown, arrivedAt: number): number {
  if (!isJsonObject(body) || !isPropertyEvent(body)) return arrivedAt;
  const read = parseValue(body['occurredAt'], 'time', { now: new Date(arrivedAt), timeZone: 'UTC' });
  return read.kind === 'value' ? Math.min(Date.parse(read.value), arrivedAt) : arrivedAt;
}

/** The operation declares no lines of a list: only a host whose mapping knows lists gets them. */
async function receiveListed(
  parts: ListParts,
  job: IntakeJob,
  arrival: Arrival,
  listed: ListedRecords,
): Promise<Outcome<never>> {
  const { path, error } = listed;
  if (error) return failure('body-invalid', { fields: [{ path, ...error }] });
  const lines = await receiveList(parts, job, arrivalsOf(arrival, listed));
  if ('code' in lines) return lines;
  const code = lines.every(line => line.code === 202) ? 202 : 200;
  return job.commit(async () => ({ code, data: lines as never }));
}

function sizeOf({ body }: { readonly body: unknown }): number {
  return JSON.stringify(body).length;
}

/** The operations do not declare this form: only a source that asked for it gets it. */
function toStored(recordId: string): Outcome<never> {
  return { code: 202, data: { recordId, state: 'received' } as never };
}

/** Returns undefined for a replay of a signed message. */
type ArrivalStore = (hostId: string, arrival: Arrival) => Promise<IntakeRecord | undefined>;

interface ArrivalOfHost {
  readonly hostId: string;
  readonly arrival: Arrival;
}

/**
 * Stores the arrivals of one host together, so that a rush needs few commits. The promise of an arrival resolves when its row
 * is committed. One arrival that cannot be stored does not fail the others.
 */
export function makeArrivalBatcher(db: Db): ArrivalStore {
  const store = batchCalls<ArrivalOfHost, IntakeRecord | undefined>({
    keyOf: ({ hostId }) => hostId,
    startBatch,
    async makeCalls(calls) {
      const arrivals = calls.map(({ arrival }) => arrival);
      return withHost(db, calls[0]?.hostId ?? '', scope => storeArrivals(scope, arrivals));
    },
    mayCallAlone: error => !isDatabaseUnavailable(error),
  });
  return (hostId, arrival) => store({ hostId, arrival });
}

/** A repeated job waits for the next batch: one upsert cannot affect a row twice. */
function startBatch(): (arrival: ArrivalOfHost) => boolean {
  const jobs = new Set<string>();
  let bytes = 0;
  return ({ arrival: { jobId, body } }) => {
    bytes += sizeOf({ body });
    return jobs.size < MAX_BATCH && bytes <= MAX_BATCH_BYTES && jobs.size < jobs.add(jobId).size;
  };
}

type Mapped = Outcome<DataOf<'receiveTicket'>>;

type TogetherMapper = (job: IntakeJob, arrived: MappedArrival) => Promise<Mapped>;

interface MapCall {
  readonly job: IntakeJob;
  readonly arrived: MappedArrival;
}

/**
 * Stores the records of one host together with their replies, so that a rush needs few round trips. A record that
 * waits for a lock, and each record of a batch that fails, gets a transaction of its own: no record makes others fail.
 */
export function makeTogetherMapper(): TogetherMapper {
  const mapTogether = batchCalls<MapCall, Mapped | undefined>({
    keyOf: ({ job }) => job.hostId,
    startBatch: upTo(MAX_BATCH, ({ arrived }) => sizeOf(arrived.record), MAX_BATCH_BYTES),
    async makeCalls(calls) {
      const [first] = calls;
      const arrivals = calls.map(({ arrived }) => arrived);
      const jobs = calls.map(({ job }) => job);
      return first?.job.commitAll(jobs, scope => applyRecords(scope, arrivals)) ?? [];
    },
  });
  return async (job, arrived) => {
    const outcome = await mapTogether({ job, arrived }).catch((error: unknown) => {
      if (isDatabaseOutage(error)) throw error;
      return undefined;
    });
    if (outcome) return outcome;
    return job.commit(async scope => {
      const [alone] = await applyRecords(scope, [arrived], { waits: true });
      return alone ?? failure('unavailable');
    });
  };
}
