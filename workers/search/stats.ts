import { isDatabaseUnavailable } from '../../db/connection.ts';
import { readPipelineState } from '../../db/search/pipeline.ts';
import { listRepairs, readReconciledStats, readTableStats } from '../../db/search/stats.ts';
import { withHosts } from '../../db/with-hosts.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { coverageOf, indexScoreOf } from '../domain/search/health-score.ts';
import type { Handler } from '../runtime/job.ts';
import type { Pools } from '../runtime/pools.ts';

const MAX_REPAIRS = 100;

export function makeSearchStats({ owner, heavy }: Pools): Handler<'searchStats'> {
  return async ({ caller }) => {
    const pipeline = await readPipelineState(owner);
    const own = await withHosts(heavy, caller.hostIds, async scope => ({
      tables: await readTableStats(scope),
      reconciled: await readReconciledStats(scope),
      repairs: await listRepairs(scope, MAX_REPAIRS),
    }));
    const tables = Object.fromEntries(
      own.tables.map(({ table, source, indexed, missing, orphans, stale }) => {
        const coverage = coverageOf({ source, unfit: missing });
        return [table, { source, indexed, missing, orphans, stale, coverage }];
      }),
    ) as Record<'conversations' | 'leads' | 'tickets', (typeof own.tables)[number] & { coverage: number }>;
    const data = {
      tables,
      pipeline: {
        pending: pipeline.pending,
        processed: pipeline.processed,
        failed: pipeline.failed,
        last_flush_at: instantOf(pipeline.lastFlushAt),
        lag_ms: pipeline.lagMs,
      },
      listener: {
        connected: pipeline.connected,
        reconnects: pipeline.reconnects,
        last_event_at: instantOf(pipeline.lastEventAt),
      },
      reconcile: {
        last_run_at: instantOf(pipeline.reconciledAt),
        duration_ms: pipeline.reconcileMs,
        repaired: own.reconciled?.repaired ?? 0,
        removed: own.reconciled?.removed ?? 0,
        next_run_at: instantOf(pipeline.nextReconcileAt),
        health_score: indexScoreOf(pipeline, own.reconciled),
        repairs: own.repairs,
      },
    };
    return { code: 200, data };
  };
}

function instantOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

type Health = DataOf<'searchHealth'>;

const LATE_MS = 30_000;

/** The figures of the pipeline are the same for all callers; the score is for the caller's own hosts. */
export function makeSearchHealth({ owner, hosts }: Pools) {
  return async ({
    caller,
  }: {
    readonly caller: { readonly hostIds: readonly string[] };
  }): Promise<Outcome<Health>> => {
    try {
      const pipeline = await readPipelineState(owner);
      const reconciled = await withHosts(hosts, caller.hostIds, readReconciledStats);
      const isLate = pipeline.lagMs > LATE_MS;
      const isDegraded = isLate || !pipeline.connected;
      const checks = {
        database: 'ok',
        listener: pipeline.connected ? 'ok' : 'degraded',
        pipeline: isLate ? 'degraded' : 'ok',
      } as const;
      const health_score = indexScoreOf(pipeline, reconciled);
      const freshness_ms = pipeline.lagMs;
      return {
        code: 200,
        data: { status: isDegraded ? 'degraded' : 'ok', checks, freshness_ms, health_score },
      };
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      return { code: 200, data: { status: 'down', checks: { database: 'down' } } };
    }
  };
}
