import { isDatabaseUnavailable } from '../../db/connection.ts';
import { readPipelineState } from '../../db/search/pipeline.ts';
import { readReconciledStats } from '../../db/search/repairs.ts';
import { withHosts } from '../../db/with-hosts.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { indexScoreOf } from '../domain/search/health-score.ts';
import type { Pools } from '../runtime/pools.ts';

type Health = DataOf<'searchHealth'>;

const LATE_MS = 30_000;

/** The figures of the pipeline are the same for all callers; the score is that of the caller's hosts. */
export function makeSearchHealth({ owner, hosts }: Pick<Pools, 'owner' | 'hosts'>) {
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
