import type { Logger } from 'pino';
import { type Db, isDatabaseOutage, isDatabaseUnavailable } from '../../db/connection.ts';
import { batchCalls, upTo } from '../../platform/batch.ts';
import { Gate } from '../../platform/gate.ts';
import { MAX_BATCH, MAX_BATCH_BYTES } from './apply-record.ts';
import { mapStoredRecord, mapStoredRecords } from './map-stored-record.ts';

/*
 * Maps records whose sources were answered when they were stored, those of a host together. The stored state `received` says that a
 * record is still to be mapped; what waits here is only a hint. So nothing is lost with this process: `replayLeftOver` of any worker maps
 * what it has not mapped, and whoever locks a record first does it.
 */

/** What is kept of a record that waits. */
interface Hint {
  readonly hostId: string;
  readonly recordId: string;
  /** About the size of its body. */
  readonly size: number;
}

export interface BackgroundMapper {
  /** False, and not taken, where too many wait: then the caller maps it itself, which slows the sources down. */
  add(hint: Hint): boolean;
  /** Ends when no record is being mapped. Those that wait are left to other workers. */
  close(): Promise<void>;
}

/** Leaves connections of the pool to records that arrive. */
const HOSTS_AT_ONCE = 2;
const MAX_WAITING = 5_000;

export function makeBackgroundMapper(db: Db, log: Logger, maxWaiting = MAX_WAITING): BackgroundMapper {
  const gate = new Gate({ maxTotal: HOSTS_AT_ONCE, maxPerKey: 1 });
  const pending = new Set<Promise<void>>();
  let isClosing = false;
  const map = batchCalls<Hint, void>({
    keyOf: ({ hostId }) => hostId,
    startBatch: upTo(MAX_BATCH, ({ size }) => size, MAX_BATCH_BYTES),
    async makeCalls(hints) {
      const hostId = hints[0]?.hostId ?? '';
      const ids = hints.map(({ recordId }) => recordId);
      const left = await gate.run({ key: hostId }, () => mapAll(hostId, ids));
      // Each may wait for a lock as long as a statement may: other hosts have their turns between them.
      for (const id of left) await gate.run({ key: hostId }, () => mapOne(hostId, id));
      return [];
    },
  });

  /** Returns the ids of those that have to be mapped each alone. */
  async function mapAll(hostId: string, ids: readonly string[]): Promise<readonly string[]> {
    if (isClosing) return [];
    // During an outage the records stay `received`, and their replay reports the outage.
    return mapStoredRecords(db, hostId, ids, ['received']).then(
      mapped => mapped.filter(({ outcome }) => !outcome).map(({ id }) => id),
      (error: unknown) => (isDatabaseOutage(error) ? [] : ids),
    );
  }

  async function mapOne(hostId: string, recordId: string): Promise<void> {
    if (isClosing) return;
    try {
      await mapStoredRecord(db, hostId, recordId, ['received']);
    } catch (err) {
      if (isDatabaseUnavailable(err)) return;
      const line = { event: 'intake.record_map_failed', err, intakeRecord: recordId };
      log.error(line, 'failed to map a record');
    }
  }

  return {
    add(hint) {
      if (isClosing || pending.size >= maxWaiting) return false;
      const mapped = map(hint);
      pending.add(mapped);
      void mapped.finally(() => pending.delete(mapped));
      return true;
    },
    async close() {
      isClosing = true;
      await Promise.all(pending);
    },
  };
}
