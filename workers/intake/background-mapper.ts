import type { Logger } from 'pino';
import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { batchCalls, upTo } from '../../platform/batch.ts';
import { Gate } from '../../platform/gate.ts';
import { MAX_BATCH, MAX_BATCH_BYTES } from './apply-records.ts';
import { mapStoredRecords } from './map-stored-record.ts';

/*
 * Maps records whose sources were answered when they were stored, all of a host together. The stored state `received` says
 * that a record is still to be mapped; the queue here only holds hints. So nothing is lost with this process: `replayLeftOver`
 * of any worker maps what is left, and whoever locks a record first maps it.
 */

interface Hint {
  readonly hostId: string;
  readonly recordId: string;
  readonly size: number;
}

export interface BackgroundMapper {
  /** Returns false, and takes nothing, if too many wait: then the caller maps the record itself, which slows the sources down. */
  add(hint: Hint): boolean;
  /** Runs a transaction that maps several records of the host, in its turn. */
  run<T>(hostId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Resolves when no record is being mapped. Waiting records are left to other workers. */
  close(): Promise<void>;
}

/** Against 48 lists at once: three locks a record would be 14,400, of the 6,400 that PostgreSQL has for all by default. */
const HOSTS_AT_ONCE = 4;
const MAX_WAITING = 5_000;

export function makeBackgroundMapper(db: Db, log: Logger, maxWaiting = MAX_WAITING): BackgroundMapper {
  const gate = new Gate({ maxTotal: HOSTS_AT_ONCE, maxPerKey: 1 });
  const pending = new Set<Promise<void>>();
  const closing = new AbortController();
  const { signal } = closing;
  const run: BackgroundMapper['run'] = (key, each, work) => gate.run({ key, signal: each }, work);
  const map = batchCalls<Hint, void>({
    keyOf: ({ hostId }) => hostId,
    startBatch: upTo(MAX_BATCH, ({ size }) => size, MAX_BATCH_BYTES),
    async makeCalls(hints) {
      const hostId = hints[0]?.hostId ?? '';
      const ids = hints.map(({ recordId }) => recordId);
      await mapStoredRecords(db, hostId, ids, ['received'], {
        signal,
        onFailed,
        // Each transaction may wait for a lock as long as a statement may, so other hosts have their turns in between.
        run: work => run(hostId, signal, work),
      });
      return [];
    },
  });

  function onFailed(err: unknown, recordId: string): undefined {
    const line = { event: 'intake.record_map_failed', err, intakeRecord: recordId };
    if (!isDatabaseUnavailable(err)) log.error(line, 'failed to map a record');
  }

  return {
    run,
    add(hint) {
      if (signal.aborted || pending.size >= maxWaiting) return false;
      // During an outage the records stay `received`, and their replay reports the outage.
      const mapped: Promise<void> = map(hint)
        .catch(() => {})
        .finally(() => pending.delete(mapped));
      pending.add(mapped);
      return true;
    },
    async close() {
      closing.abort();
      await Promise.all(pending);
    },
  };
}
