import { type Db, isDatabaseOutage, isDatabaseUnavailable } from '../../db/connection.ts';
import { finishRecord, type IntakeState, lockRecordsToMap } from '../../db/intake/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { applyRecords, MAX_BATCH } from './apply-record.ts';
import { internalError, noteRefusal } from './note-refusal.ts';

type Outcomes = Map<string, Outcome<unknown> | undefined>;

/**
 * Maps a record that is in one of the states with the current mapping, as of its arrival: later arrivals win. Undefined where another
 * process has locked or processed it.
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
  /** The outcome of a record that cannot be mapped, not even alone. */
  onFailed(error: unknown, id: string): Outcome<unknown> | undefined;
  /** Runs a transaction in its turn; by default at once. */
  run?<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Maps each as `mapStoredRecord` does, but together, and only what waits for a lock or fails with others alone: none takes others with
 * it. Rejects during an outage, and when it is aborted.
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

/** Maps those that nobody else has locked. Undefined: it has to wait for a lock, and nothing of it is written. */
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
