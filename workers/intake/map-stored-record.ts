import { type Db, isDatabaseOutage, isDatabaseUnavailable } from '../../db/connection.ts';
import {
  finishRecord,
  type IntakeState,
  lockRecordsToMap,
  readRecordsToMap,
} from '../../db/intake/intake-records.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { fieldError } from '../../platform/field-error.ts';
import { type Failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { RecordKind } from '../domain/crm/mapping.ts';
import { addEvent } from '../runtime/add-event.ts';
import { applyRecords, MAX_BATCH } from './apply-records.ts';
import { type MappedArrival, mapArrival, type RefusedArrival } from './map-arrival.ts';

type Outcomes = Map<string, Outcome<unknown> | undefined>;

/**
 * Maps a record that is in one of the states with the current mapping, in its order of arrival: later arrivals win. Returns
 * undefined if another process has locked or processed it.
 */
export async function mapStoredRecord(
  db: Db,
  hostId: string,
  id: string,
  states: readonly IntakeState[],
): Promise<Outcome<unknown> | undefined> {
  try {
    return (await mapTogether(db, hostId, [id], states, { waits: true })).get(id);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    await withHost(db, hostId, scope => finishRecord(scope, id, { state: 'failed', reasons: internalError }));
    throw error;
  }
}

interface MapOptions {
  readonly signal: AbortSignal;
  /** Returns the outcome of a record that cannot be mapped, not even alone. */
  onFailed(error: unknown, id: string): Outcome<unknown> | undefined;
  /** Runs a transaction in its turn. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Maps the records as `mapStoredRecord` does, but together. A record that waits for a lock is mapped alone,
 * and a batch that fails is halved until the one that fails is alone: no record makes others fail. Rejects during an outage, and when it is aborted.
 */
export async function mapStoredRecords(
  db: Db,
  hostId: string,
  ids: readonly string[],
  states: readonly IntakeState[],
  { signal, onFailed, run }: MapOptions,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  const attempt = <T, F>(work: () => Promise<T>, onError: (error: unknown) => F) => {
    const unlessAborted = async () => (signal.throwIfAborted(), work());
    return run(unlessAborted).catch((error: unknown) => {
      if (signal.aborted || isDatabaseOutage(error)) throw error;
      return onError(error);
    });
  };
  const mapAll = async (some: readonly string[]): Promise<void> => {
    const together = () => mapTogether(db, hostId, some, states);
    const mapped = await attempt(together, () => undefined);
    if (!mapped && some.length > 1) {
      const half = Math.ceil(some.length / 2);
      await mapAll(some.slice(0, half));
      return mapAll(some.slice(half));
    }
    for (const [id, outcome] of mapped ?? some.map(each => [each, undefined] as const)) {
      const alone = () => mapStoredRecord(db, hostId, id, states);
      outcomes.set(id, outcome ?? (await attempt(alone, error => onFailed(error, id))));
    }
  };
  for (let at = 0; at < ids.length; at += MAX_BATCH) await mapAll(ids.slice(at, at + MAX_BATCH));
  return outcomes;
}

/**
 * Stores the records that nobody else has locked in one transaction. Undefined: the record has to wait for a lock, and nothing of
 * it is written.
 */
async function mapTogether(
  db: Db,
  hostId: string,
  ids: readonly string[],
  states: readonly IntakeState[],
  options?: { readonly waits: boolean },
): Promise<Outcomes> {
  const read = await withHost(db, hostId, scope => readRecordsToMap(scope, ids, states));
  const arrivals = read.map(mapArrival);
  return withHost(db, hostId, async scope => {
    const locked = await lockRecordsToMap(scope, ids, states);
    const held = arrivals.flatMap(arrived => {
      const lock = locked.find(({ id }) => id === arrived.record.id);
      return lock ? [{ ...arrived, record: { ...arrived.record, ...lock } }] : [];
    });
    const outcomes = await applyRecords(scope, held, options);
    for (const [at, arrived] of held.entries()) {
      const outcome = outcomes[at];
      if (outcome && isFailure(outcome)) await noteRefusal(scope, arrived, outcome);
    }
    return new Map(held.map(({ record }, at) => [record.id, outcomes[at]]));
  });
}

/** Stores why a record was refused, and tells the host's webhooks once, however often it is replayed. */
export async function noteRefusal(
  scope: HostScope,
  arrived: MappedArrival | RefusedArrival,
  failure: Failure,
): Promise<void> {
  const { record } = arrived;
  const reasons = failure.data?.fields ?? [fieldError('', 'no-mapping')];
  await finishRecord(scope, record.id, { state: 'refused', reasons });
  if (record.wasRefused) return;
  await addEvent(scope, {
    type: 'record.refused',
    data: {
      kind: record.kind as RecordKind,
      external_id: arrived.kind === 'mapped' ? arrived.key.externalId : arrived.externalId,
      fields: [...reasons],
    },
    intakeRecordId: record.id,
  });
}

/** The reasons of a record that failed by a fault of the service. */
export const internalError = [fieldError('', 'service-error')];
