import Router from '@koa/router';
import { withinMs } from '../../platform/link-signals.ts';
import type { ProcessInfo } from '../../platform/process-info.ts';
import type { KeyFingerprints } from '../../platform/seal.ts';
import type { QueueProgress } from '../../queues/transport/progress.ts';
import type { State } from '../context.ts';
import { RETRY_AFTER } from '../replies/envelope.ts';
import { healthCalls } from './health-calls.ts';

/** Resolves if a required component works, rejects otherwise. */
type Check = () => Promise<unknown>;

export interface HealthChecks {
  readonly checks: Readonly<Record<string, Check>>;
  progress(): Promise<readonly QueueProgress[]>;
  processes(): Promise<ProcessHealth>;
}

const CHECK_TIMEOUT_MS = 2_000;

/** A failed check whose message anybody may see. */
export class HealthCheckError extends Error {}

/**
 * `live`: the process runs. `ready`: the process can take requests; for load balancers. `workers`: the queues make
 * progress; for alerts, because a worker that hangs still answers pings.
 */
export function makeHealthRoutes({ checks, progress, processes }: HealthChecks): Router<State> {
  const router = new Router<State>();
  router.get(healthCalls.live.path, ctx => {
    ctx.body = { status: 'ok' };
  });
  router.get(healthCalls.ready.path, async ctx => {
    const entries = Object.entries(checks).map(
      async ([name, check]) => [name, await reasonOf(check)] as const,
    );
    const reasons = (await Promise.all(entries)).filter(([, reason]) => reason !== undefined);
    const isReady = reasons.length === 0;
    const down = new Set(reasons.map(([name]) => name));
    ctx.status = isReady ? 200 : 503;
    if (!isReady) ctx.set('Retry-After', RETRY_AFTER);
    const seen = Object.fromEntries(Object.keys(checks).map(name => [name, down.has(name) ? 'down' : 'ok']));
    ctx.body = {
      status: isReady ? 'ok' : 'down',
      checks: seen,
      ...(isReady ? {} : { reasons: Object.fromEntries(reasons) }),
    };
  });
  router.get(healthCalls.workers.path, async ctx => {
    const [queues, seen] = await Promise.all([
      progress().catch(() => undefined),
      processes().catch(() => undefined),
    ]);
    const isMoving = queues?.every(queue => !queue.isStuck) ?? false;
    const isComplete = seen?.missing.length === 0 && seen.otherKeys.length === 0;
    ctx.status = isMoving && isComplete ? 200 : 503;
    ctx.body = {
      status: ctx.status === 200 ? 'ok' : 'down',
      queues: Object.fromEntries((queues ?? []).map(queueStatusOf)),
      missing: seen?.missing ?? ['unknown: the database cannot be reached'],
      other_secret_key: seen?.otherKeys ?? [],
    };
  });
  return router;
}

function queueStatusOf({ queue, depth, oldestAgeMs, sinceEndedMs, isStuck }: QueueProgress) {
  const round = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms));
  const ages = { oldest_ms: round(oldestAgeMs), last_completed_ms: round(sinceEndedMs) };
  return [queue, { status: isStuck ? 'down' : 'ok', waiting: depth, ...ages }] as const;
}

/** Undefined if the check succeeds. */
function reasonOf(check: Check): Promise<string | undefined> {
  return withinMs(check(), CHECK_TIMEOUT_MS).then(
    () => undefined,
    (error: unknown) =>
      error instanceof HealthCheckError
        ? error.message
        : 'it failed or took too long: database.lost in the log says why; where there is none, run the release step',
  );
}

/** The processes, as `/health/workers` shows them. */
interface ProcessHealth {
  /** Workers of queues that no process serves, and `indexer`. */
  readonly missing: readonly string[];
  /** Workers with another SECRET_KEY: they cannot decrypt the jobs of this process, or it cannot decrypt their replies. */
  readonly otherKeys: readonly string[];
}

export function checkProcesses(
  running: readonly ProcessInfo[],
  queueNames: readonly string[],
  own: KeyFingerprints,
): ProcessHealth {
  const workers = running.filter(({ kind }) => kind === 'worker');
  const hasIndexer = running.some(({ kind }) => kind === 'indexer');
  return {
    missing: [...listMissingWorkers(workers, queueNames), ...(hasIndexer ? [] : ['indexer'])],
    otherKeys: workers.filter(worker => !canReadEachOther(worker, own)).map(({ process }) => process),
  };
}

/** With `own`, the keys of this process, workers with another key do not count. */
export function listMissingWorkers(
  running: readonly ProcessInfo[],
  queueNames: readonly string[],
  own?: KeyFingerprints,
): string[] {
  const workers = running.filter(
    worker => worker.kind === 'worker' && canReadEachOther(worker, own ?? worker),
  );
  return queueNames
    .filter(queue => !workers.some(({ queues }) => queues.includes(queue)))
    .map(queue => `worker of ${queue}`);
}

/** True if there are workers, but all have another SECRET_KEY. */
export function hasNoMatchingWorker(running: readonly ProcessInfo[], own: KeyFingerprints): boolean {
  const workers = running.filter(({ kind }) => kind === 'worker');
  return workers.length > 0 && workers.every(worker => !canReadEachOther(worker, own));
}

/** Whether each key can be opened by the other side: the other has it, at least as a previous one. */
function canReadEachOther(one: KeyFingerprints, other: KeyFingerprints): boolean {
  const reads = ({ key, previousKeys }: KeyFingerprints, sealed: KeyFingerprints) =>
    [key, ...previousKeys].includes(sealed.key);
  return reads(one, other) && reads(other, one);
}
