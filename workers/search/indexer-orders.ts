import type { Db } from '../../db/connection.ts';
import { queueEvents } from '../../db/search/outbox.ts';
import { RECONCILE_PAGE_SIZE } from '../../db/search/reconciliation.ts';
import { searchTables } from '../../db/search/records.ts';
import { orderReindex } from '../../db/search/reindexes.ts';
import { readTableStats } from '../../db/search/stats.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { failure, fieldFailure } from '../../queues/contract/failure.ts';
import { instantOf } from '../domain/time/instant.ts';
import type { Handler } from '../runtime/job.ts';

/** The events are not committed with a reply: queueing one twice is harmless, and they belong to several hosts. */
export function makeQueueSearchEvents(db: Db): Handler<'queueSearchEvents'> {
  return async ({ caller, body }) => {
    const events = Array.isArray(body) ? body : [body];
    const changes = events.map(({ origin_table, origin_id, operation }) => ({
      originTable: origin_table,
      originId: origin_id,
      operation,
    }));
    await withHosts(db, caller.hostIds, scope => queueEvents(scope, changes));
    return { code: 202, data: { accepted: true, queued: events.length } };
  };
}

/** The order is committed before the answer; the leading indexer runs it. */
export function makeReindex(db: Db): Handler<'reindex'> {
  return async ({ caller, body, jobId }) => {
    const { mode = 'missing', since, batch_size, confirm_orphans } = body;
    // The hosts may be in several time zones.
    const from = since === undefined ? null : instantOf(since, 'UTC');
    if (from === undefined) return fieldFailure('since', 'date');
    return withHosts(db, caller.hostIds, async scope => {
      const tables = [...new Set(body.tables ?? searchTables)];
      const stats = (await readTableStats(scope, from)).filter(({ table }) => tables.includes(table));
      const rows = stats.reduce((sum, each) => sum + (mode === 'full' ? each.source : each.missing), 0);
      const isFinished = rows === 0 && stats.every(({ orphans }) => orphans === 0);
      const running = await orderReindex(scope, {
        id: jobId,
        tables,
        mode,
        since: from,
        batchSize: batch_size ?? RECONCILE_PAGE_SIZE,
        confirmOrphans: confirm_orphans ?? false,
        isFinished,
      });
      // A repeated run of this job finds its own order.
      if (running && running.runningId !== jobId) {
        return failure('reindex-running', { job_id: running.runningId });
      }
      return { code: 202, data: { job_id: jobId, status: 'enqueued', tables, estimated_rows: rows } };
    });
  };
}
