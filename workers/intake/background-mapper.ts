import type { Logger } from 'pino';
import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { Gate } from '../../platform/gate.ts';
import { mapStoredRecord } from './map-stored-record.ts';

/*
 * Maps records whose sources were answered when they were stored. The stored state `received` says that a record is still
 * to be mapped; what waits here is only a hint. So nothing is lost with this process: `replayLeftOver` of any worker maps what
 * it has not mapped, and whoever locks a record first does it.
 */

export interface BackgroundMapper {
  /** False, and not taken, where too many wait: then the caller maps it itself, which slows the sources down. */
  add(hostId: string, recordId: string): boolean;
  /** Ends when no record is being mapped. Those that wait are left to other workers. */
  close(): Promise<void>;
}

/** Leaves connections of the pool to records that arrive. */
const AT_ONCE = 2;
const MAX_WAITING = 5_000;

export function makeBackgroundMapper(db: Db, log: Logger, maxWaiting = MAX_WAITING): BackgroundMapper {
  const gate = new Gate({ maxTotal: AT_ONCE, maxPerKey: AT_ONCE });
  const pending = new Set<Promise<void>>();
  let isClosing = false;

  async function mapOne(hostId: string, recordId: string): Promise<void> {
    try {
      await mapStoredRecord(db, hostId, recordId, ['received']);
    } catch (err) {
      // During an outage the record stays `received`, and its replay reports the outage.
      if (isDatabaseUnavailable(err)) return;
      const line = { event: 'intake.record_map_failed', err, intakeRecord: recordId };
      log.error(line, 'failed to map a record');
    }
  }

  return {
    add(hostId, recordId) {
      if (isClosing || pending.size >= maxWaiting + AT_ONCE) return false;
      const mapped = gate.run({ key: hostId }, async () => {
        if (!isClosing) await mapOne(hostId, recordId);
      });
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
