import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { assertMigrated, probeWrites } from '../../db/database-checks.ts';
import { readFreshMetrics, storeMetrics } from '../../db/process-metrics.ts';
import { withinMs } from '../../platform/link-signals.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { readProcesses } from '../../platform/process-info.ts';
import { repeat } from '../../platform/repeat.ts';
import type { KeyFingerprints } from '../../platform/seal.ts';
import { queueNames } from '../../queues/contract/queues.ts';
import type { Dispatcher } from '../../queues/transport/dispatcher.ts';
import { checkProcesses, HealthCheckError, hasNoMatchingWorker, listMissingWorkers } from './health.ts';

interface WatchedParts {
  /** Identifies this process in the database. */
  readonly processName: string;
  readonly keys: KeyFingerprints;
  readonly database: OutageLog;
  readonly timeoutMs: number;
}

/** Anybody may call these routes, and each check costs the database more than it costs the caller. */
const HEALTH_CACHED_MS = 1_000;
/** Shorter than the limit of a check. */
const PROCESSES_TIMEOUT_MS = 1_000;

/** The checks of `/health/ready` and `/health/workers`. */
export function watchHealth(
  db: Db,
  dispatcher: Dispatcher,
  { processName, keys, database, timeoutMs }: WatchedParts,
) {
  const write = async () => {
    await storeMetrics(db, processName, []);
    await probeWrites(db);
  };
  const stopping = new AbortController();
  const heartbeat = startHeartbeat({ write, signal: stopping.signal, ...database });
  let isDraining = false;
  const running = cacheResultFor(HEALTH_CACHED_MS, async () => readProcesses(await readFreshMetrics(db)));
  return {
    checks: {
      process: async () => {
        if (isDraining) throw new HealthCheckError('this process is about to end');
      },
      database: heartbeat.check,
      migrations: cacheResultFor(HEALTH_CACHED_MS, () => assertMigrated(db).catch(explainGap)),
      queue: async () => {
        if (!dispatcher.isReady())
          throw new HealthCheckError(
            'the queue store does not accept jobs: for cause and remedy, see queue_store.lost in the log',
          );
        // Another check tells whether PostgreSQL answers.
        if (hasNoMatchingWorker(await withinMs(running(), PROCESSES_TIMEOUT_MS).catch(() => []), keys))
          throw new HealthCheckError('no worker has the SECRET_KEY of this process');
      },
      workers: makeWorkersCheck(db, keys),
    },
    progress: cacheResultFor(HEALTH_CACHED_MS, () => dispatcher.progress(timeoutMs)),
    processes: async () => checkProcesses(await running(), queueNames, keys),
    isDatabaseReady: heartbeat.isWritable,
    /** From now on the process is not ready, so that load balancers send requests to others. */
    drain: () => {
      isDraining = true;
    },
    stop: () => stopping.abort(),
  };
}

/**
 * Rejects until workers of all queues have stored their metrics since this process started: for a while, metrics of workers that
 * ended before, as in a restart of all, look fresh. Later calls wait in the queue for the next worker.
 */
function makeWorkersCheck(db: Db, keys: KeyFingerprints): () => Promise<void> {
  const startedAt = performance.now();
  let haveCome = false;
  const look = cacheResultFor(HEALTH_CACHED_MS, async () => {
    // Ages are compared, not times, because clocks differ.
    const since = await readFreshMetrics(db, (performance.now() - startedAt) / 1_000);
    return listMissingWorkers(readProcesses(since), queueNames, keys);
  });
  return async () => {
    if (haveCome) return;
    const missing = await look();
    haveCome ||= missing.length === 0;
    if (!haveCome)
      throw new HealthCheckError(
        `none has come since this process started: ${missing.join(', ')}; a worker that ends says why in its last line`,
      );
  };
}

/** Callers may know that the database is away; other errors of it stay in the log. */
function explainGap(error: Error): never {
  throw isDatabaseUnavailable(error) ? error : new HealthCheckError(error.message);
}

/** Runs the work at most once per interval; calls in between share the last result. */
function cacheResultFor<T>(everyMs: number, work: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly result: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at >= everyMs) last = { at: now, result: work() };
    return last.result;
  };
}

/** Checks that the database accepts writes: a read-only or full database still answers pings. */
interface Heartbeat {
  /** Rejects if the last write failed. Calls within `SHARED_MS` share one result. */
  check(): Promise<void>;
  /** Whether the last write succeeded. */
  isWritable(): boolean;
}

interface HeartbeatParts {
  write(): Promise<void>;
  readonly signal: AbortSignal;
  noteFailure(error: unknown): void;
  noteSuccess(): void;
}

const BEAT_EVERY_MS = 5_000;
const SHARED_MS = 1_000;
const WRITE_TIMEOUT_MS = 1_500;

function startHeartbeat({ write, signal, noteSuccess, noteFailure }: HeartbeatParts): Heartbeat {
  let isWritable = true;
  const check = cacheResultFor(SHARED_MS, async () => {
    try {
      await withinMs(write(), WRITE_TIMEOUT_MS);
      isWritable = true;
      noteSuccess();
    } catch (error) {
      isWritable = false;
      noteFailure(error);
      throw error;
    }
  });
  // `noteFailure` has the error already.
  void repeat(check, { everyMs: BEAT_EVERY_MS, signal, onError: () => {} });
  return { check, isWritable: () => isWritable };
}
