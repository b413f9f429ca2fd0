import { readPipelineState } from '../../db/search/pipeline.ts';
import { listRepairs, readReconciledStats } from '../../db/search/repairs.ts';
import { readTableStats } from '../../db/search/stats.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { coverageOf, indexScoreOf } from '../domain/search/health-score.ts';
import type { Handler } from '../runtime/job.ts';
import type { Pools } from '../runtime/pools.ts';

const MAX_REPAIRS = 100;

export function makeSearchStats({ owner, heavy }: Pick<Pools, 'owner' | 'heavy'>): Handler<'searchStats'> {
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
        repairs: own.repairs.map(({ originTable, originId, what, at }) => ({
          origin_table: originTable,
          origin_id: originId,
          what,
          at: at.toISOString(),
        })),
      },
    };
    return { code: 200, data };
  };
}

function instantOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
