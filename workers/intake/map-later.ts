import type { Logger } from 'pino';
import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { RoundRobin } from '../../platform/round-robin.ts';
import { replayRecord } from './replay.ts';

/*
 * Maps records whose sources were answered when they were stored. The stored state `received` says that a record is still
 * to be mapped; what waits here is only a hint. So nothing is lost with this process: `replayLeftOver` of any worker maps what
 * it has not mapped, and whoever locks a record first does it.
 */

export interface LaterMapper {
  /** False, and not taken, where too many wait: then the caller maps it itself, which slows the sources down. */
  add(hostId: string, recordId: string): boolean;
  /** Ends when no record is being mapped. Those that wait are left to other workers. */
  close(): Promise<void>;
}

/** Leaves connections of the pool to records that arrive. */
const LANES = 2;
const MAX_WAITING = 5_000;

export function makeLaterMapper(db: Db, log: Logger, maxWaiting = MAX_WAITING): LaterMapper {
  const waiting = new RoundRobin<{ readonly hostId: string; readonly recordId: string }>();
  const lanes = new Set<Promise<void>>();
  const closing = new AbortController();
  let count = 0;
  let running = 0;

  async function map(): Promise<void> {
    running += 1;
    for (let next = waiting.take(); next && !closing.signal.aborted; next = waiting.take()) {
      count -= 1;
      await mapOne(next.hostId, next.recordId);
    }
    // Together with the last look at what waits, so that nothing is added in between and left there.
    running -= 1;
  }

  async function mapOne(hostId: string, recordId: string): Promise<void> {
    try {
      await replayRecord(db, hostId, recordId, ['received']);
    } catch (err) {
      // During an outage the record stays `received`, and its replay reports the outage.
      if (isDatabaseUnavailable(err)) return;
      const line = { event: 'intake.record_map_failed', err, intakeRecord: recordId };
      log.error(line, 'failed to map a record');
    }
  }

  return {
    add(hostId, recordId) {
      if (closing.signal.aborted || count >= maxWaiting) return false;
      count += 1;
      waiting.add(hostId, { hostId, recordId });
      if (running < LANES) {
        const lane = map();
        lanes.add(lane);
        void lane.finally(() => lanes.delete(lane));
      }
      return true;
    },
    async close() {
      closing.abort();
      await Promise.all(lanes);
    },
  };
}
