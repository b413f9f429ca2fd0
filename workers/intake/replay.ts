import type { Logger } from 'pino';
import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import {
  finishRecord,
  type IntakeState,
  type LeftOver,
  listLeftOver,
  lockRecordForReplay,
} from '../../db/intake/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { isStatementCancelled } from '../../platform/error-reason.ts';
import { isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { Pools } from '../runtime/pools.ts';
import { applyRecord } from './apply-record.ts';
import { internalError, noteRefusal } from './note-refusal.ts';

/** Longer than a job can still be processing the record. */
export const LEFT_OVER_MS = 60_000;
const REPLAY_BATCH_SIZE = 500;

/**
 * Processes a stored record with the current mapping, as of its arrival: later arrivals win. Undefined where another
 * process has locked or processed it.
 */
export async function replayRecord(
  db: Db,
  hostId: string,
  id: string,
  states: readonly IntakeState[],
): Promise<Outcome<unknown> | undefined> {
  try {
    return await withHost(db, hostId, async scope => {
      const record = await lockRecordForReplay(scope, id, states);
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
 * Replays records whose worker died: after it answered early, or their job was lost, too. Returns how many have an outcome
 * now.
 */
export async function replayLeftOver(
  { owner, hosts }: Pick<Pools, 'owner' | 'hosts'>,
  log: Logger,
  olderThanMs = LEFT_OVER_MS,
): Promise<number> {
  let replayed = 0;
  for (;;) {
    const leftOver = await listLeftOver(owner, olderThanMs, REPLAY_BATCH_SIZE);
    const done = await replayAll(hosts, log, leftOver);
    replayed += done;
    // Without progress another process replays them, or they cannot be stored now.
    if (done === 0 || leftOver.length < REPLAY_BATCH_SIZE) break;
  }
  const line = { event: 'intake.records_replayed', records: replayed };
  if (replayed > 0) log.warn(line, 'replayed records of a worker that died');
  return replayed;
}

async function replayAll(db: Db, log: Logger, leftOver: readonly LeftOver[]): Promise<number> {
  let replayed = 0;
  for (const { hostId, id } of leftOver) {
    try {
      if (await replayRecord(db, hostId, id, ['received'])) replayed += 1;
    } catch (err) {
      if (isDatabaseUnavailable(err) && !isStatementCancelled(err)) throw err;
      log.error({ event: 'intake.record_replay_failed', err, intakeRecord: id }, 'failed to replay a record');
    }
  }
  return replayed;
}
