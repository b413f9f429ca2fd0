import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { finishRecord, type IntakeState, lockRecordsToMap } from '../../db/intake/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { isFailure, type Outcome } from '../../queues/contract/failure.ts';
import { applyRecord, applyRecords } from './apply-record.ts';
import { internalError, noteRefusal } from './note-refusal.ts';

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
    return await withHost(db, hostId, async scope => {
      const [record] = await lockRecordsToMap(scope, [id], states);
      if (!record) return undefined;
      const outcome = await applyRecord(scope, record);
      if (isFailure(outcome)) await noteRefusal(scope, record, outcome);
      return outcome;
    });
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    await withHost(db, hostId, scope => finishRecord(scope, id, { state: 'failed', reasons: internalError }));
    throw error;
  }
}

/**
 * As `mapStoredRecord` for each, in one transaction that waits for no lock. A record whose contact is locked has no outcome, and nothing
 * of it is written. Where it rejects nothing is written of any.
 */
export async function mapStoredRecords(
  db: Db,
  hostId: string,
  ids: readonly string[],
  states: readonly IntakeState[],
): Promise<readonly { readonly id: string; readonly outcome: Outcome<unknown> | undefined }[]> {
  return withHost(db, hostId, async scope => {
    const records = await lockRecordsToMap(scope, ids, states);
    const outcomes = await applyRecords(scope, records);
    for (const [at, record] of records.entries()) {
      const outcome = outcomes[at];
      if (outcome && isFailure(outcome)) await noteRefusal(scope, record, outcome);
    }
    return records.map(({ id }, at) => ({ id, outcome: outcomes[at] }));
  });
}
