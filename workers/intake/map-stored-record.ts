import { type Db, isDatabaseOutage, isDatabaseUnavailable } from '../../db/connection.ts';
import {
  finishRecord,
  type IntakeRecord,
  type IntakeState,
  lockRecordsToMap,
} from '../../db/intake/intake-records.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { type Failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { mapRecord } from '../domain/crm/field-mapping.ts';
import type { RecordKind } from '../domain/crm/mapping.ts';
import { addEvent } from '../runtime/add-event.ts';
import { applyRecords, MAX_BATCH, mappingOf } from './apply-records.ts';

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
    return (await mapInOneTransaction(db, hostId, [id], states, { waits: true })).get(id);
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
  /** Runs a transaction in its turn; by default at once. */
  run?<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Maps the records as `mapStoredRecord` does, but together. A record that waits for a lock, or fails with others, is mapped
 * alone: no record makes others fail. Rejects during an outage, and when it is aborted.
 */
export async function mapStoredRecords(
  db: Db,
  hostId: string,
  ids: readonly string[],
  states: readonly IntakeState[],
  { signal, onFailed, run = work => work() }: MapOptions,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  const attempt = <T, F>(work: () => Promise<T>, onError: (error: unknown) => F) => {
    const unlessAborted = async () => (signal.throwIfAborted(), work());
    return run(unlessAborted).catch((error: unknown) => {
      if (signal.aborted || isDatabaseOutage(error)) throw error;
      return onError(error);
    });
  };
  for (let at = 0; at < ids.length; at += MAX_BATCH) {
    const some = ids.slice(at, at + MAX_BATCH);
    const together = () => mapInOneTransaction(db, hostId, some, states);
    const mapped = await attempt(together, () => new Map(some.map(id => [id, undefined])));
    for (const [id, outcome] of mapped) {
      const alone = () => mapStoredRecord(db, hostId, id, states);
      outcomes.set(id, outcome ?? (await attempt(alone, error => onFailed(error, id))));
    }
  }
  return outcomes;
}

/** Maps the records that nobody else has locked. Undefined: the record has to wait for a lock, and nothing of it is written. */
function mapInOneTransaction(
  db: Db,
  hostId: string,
  ids: readonly string[],
  states: readonly IntakeState[],
  options?: { readonly waits: boolean },
): Promise<Outcomes> {
  return withHost(db, hostId, async scope => {
    const records = await lockRecordsToMap(scope, ids, states);
    const outcomes = await applyRecords(scope, records, options);
    for (const [at, record] of records.entries()) {
      const outcome = outcomes[at];
      if (outcome && isFailure(outcome)) await noteRefusal(scope, record, outcome);
    }
    return new Map(records.map(({ id }, at) => [id, outcomes[at]]));
  });
}

/** Stores why a record was refused, and tells the host's webhooks once, however often it is replayed. */
export async function noteRefusal(scope: HostScope, record: IntakeRecord, failure: Failure): Promise<void> {
  const reasons = reasonsOf(failure);
  await finishRecord(scope, record.id, { state: 'refused', reasons });
  if (record.wasRefused) return;
  await addEvent(scope, {
    type: 'record.refused',
    data: {
      kind: record.kind as RecordKind,
      external_id: externalIdOf(record),
      fields: reasons.map(({ path, message: why }) => ({ path, message: why })),
    },
    intakeRecordId: record.id,
  });
}

function externalIdOf(record: IntakeRecord): string | null {
  const { mapping } = mappingOf(record.kind as RecordKind, record.mapping);
  if (!mapping) return null;
  const { timeZone, arrivedAt: now, body } = record;
  return mapRecord(body, mapping, { now, timeZone }).record.values['external_id'] || null;
}

/** The reasons of a record that failed by a fault of the service. */
export const internalError = [{ path: '', message: 'an internal error' }];

function reasonsOf({
  message,
  data,
}: Failure): readonly { readonly path: string; readonly message: string }[] {
  return data?.fields ?? [{ path: '', message }];
}
