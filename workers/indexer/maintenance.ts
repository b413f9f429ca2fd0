import { listHosts } from '../../db/hosts/hosts.ts';
import { withReconcileLock } from '../../db/search/channel.ts';
import { isReconcileDue, noteReconciliation, scheduleReconciliation } from '../../db/search/pipeline.ts';
import {
  RECONCILE_PAGE_SIZE,
  type ReconciliationCounts,
  type Repair,
  storeReconciliation,
} from '../../db/search/reconciliation.ts';
import { searchTables } from '../../db/search/records.ts';
import { findNextReindex, finishReindex, type Reindex } from '../../db/search/reindexes.ts';
import { deleteUnusedWords, listUnusedWords } from '../../db/search/words.ts';
import { reasonOf } from '../../platform/error-reason.ts';
import { repeat } from '../../platform/repeat.ts';
import type { PipelineLimits } from './pipeline-limits.ts';
import { type ReconcileParts, reconcileTable } from './reconcile.ts';

export interface MaintenanceParts extends ReconcileParts {
  readonly databaseUrl: string;
  readonly limits: PipelineLimits;
  /** The last word seen of each host, empty at the end of its words. The host seen longest ago comes first. */
  readonly lookedAt: Map<string, string>;
}

/** Runs the leader's background work: ordered reindexes, and reconciliation when it is due. */
export async function runMaintenance(parts: MaintenanceParts): Promise<void> {
  const { db, log, limits, stop } = parts;
  await scheduleReconciliation(db, limits.reconcileEveryMs).catch(() => {});
  const onError = (err: unknown) =>
    log.warn(
      { event: 'search.maintenance_failed', reason: reasonOf(err) },
      'failed to maintain the search index',
    );
  const step = async () => {
    // A reindex that keeps failing must block neither the others nor the reconciliation.
    await reindexAll(parts, onError).catch(onError);
    await reconcileWhenDue(parts);
  };
  await repeat(step, { everyMs: limits.flushMs / 2, firstAfterMs: 0, signal: stop, onError });
}

async function reindexAll(parts: MaintenanceParts, onError: (error: unknown) => void): Promise<void> {
  const { db, stop } = parts;
  const failed: string[] = [];
  for (
    let next = await findNextReindex(db, failed);
    next && !stop.aborted;
    next = await findNextReindex(db, failed)
  ) {
    const { hostId } = next;
    await reindex(next, parts).catch(error => {
      failed.push(hostId);
      onError(error);
    });
  }
}

async function reconcileWhenDue(parts: MaintenanceParts): Promise<void> {
  if (!parts.stop.aborted && (await isReconcileDue(parts.db))) await reconcile(parts);
}

/** Compares and repairs the whole index, and drops unused words. Undefined if another process is reconciling. */
export async function reconcile(
  parts: MaintenanceParts,
): Promise<readonly ReconciliationCounts[] | undefined> {
  const { db, databaseUrl, limits, log } = parts;
  return withReconcileLock(databaseUrl, async () => {
    const startedAt = performance.now();
    const hostIds = (await listHosts(db)).map(({ id }) => id);
    const found: ReconciliationCounts[] = [];
    const repairs: Repair[] = [];
    for (const table of searchTables) {
      const plan = {
        hostIds,
        table,
        repair: 'different',
        pageSize: RECONCILE_PAGE_SIZE,
        confirmOrphans: false,
      } as const;
      const result = await reconcileTable(plan, parts);
      if (!result) return found;
      found.push(...result.found);
      repairs.push(...result.repairs);
    }
    await storeReconciliation(db, found, repairs);
    await noteReconciliation(db, performance.now() - startedAt, limits.reconcileEveryMs);
    log.info({ event: 'search.reconcile_finished', ...summaryOf(found) }, 'reconciled the search index');
    await dropWords(hostIds, parts);
    return found;
  });
}

/** The part of the reconciliation interval that the next reconciliation, and reindexes, may wait for words. */
const WORDS_TAKE_AT_MOST = 1 / 5;
/** Pages of a host's words in one reconciliation: each word is looked up twice in the index. */
const PAGES_OF_WORDS = 5;

/** Cleans as many hosts as time allows; the rest come first next time. */
async function dropWords(hostIds: readonly string[], parts: MaintenanceParts): Promise<void> {
  const { limits, lookedAt } = parts;
  const endsAt = performance.now() + limits.reconcileEveryMs * WORDS_TAKE_AT_MOST;
  const present = new Set(hostIds);
  for (const id of lookedAt.keys()) if (!present.has(id)) lookedAt.delete(id);
  for (const hostId of [...hostIds.filter(id => !lookedAt.has(id)), ...lookedAt.keys()]) {
    await dropUnusedWords(hostId, parts);
    if (parts.stop.aborted || performance.now() >= endsAt) return;
  }
}

/** Continues where the last call ended. A failure for one host does not keep the others from being cleaned. */
async function dropUnusedWords(hostId: string, { db, log, stop, lookedAt }: MaintenanceParts): Promise<void> {
  let after = lookedAt.get(hostId) ?? '';
  const look = async () =>
    db.transaction(async tx => {
      const { unused, last } = await listUnusedWords({ tx, hostId }, after);
      await deleteUnusedWords({ tx, hostId }, unused);
      return last;
    });
  try {
    for (let page = 0; page < PAGES_OF_WORDS && !stop.aborted; page += 1) {
      const last = await look();
      after = last ?? '';
      if (last === undefined) break;
    }
  } catch (error) {
    const facts = { event: 'search.maintenance_failed', hostId, reason: reasonOf(error) };
    log.warn(facts, 'failed to drop words that no record of the host has');
  }
  lookedAt.delete(hostId);
  lookedAt.set(hostId, after);
}

async function reindex(order: Reindex, parts: MaintenanceParts): Promise<void> {
  const { hostId, id, tables, mode, since, batchSize, confirmOrphans } = order;
  let done = { repaired: 0, removed: 0 };
  for (const table of tables) {
    const repair = mode === 'full' ? 'all' : 'missing';
    const plan = { hostIds: [hostId], table, repair, since, pageSize: batchSize, confirmOrphans } as const;
    const result = await reconcileTable(plan, parts);
    if (!result) return;
    const { repaired, removed } = summaryOf(result.found);
    done = { repaired: done.repaired + repaired, removed: done.removed + removed };
  }
  await finishReindex(parts.db, { hostId, id }, done);
  parts.log.info({ event: 'search.reindex_finished', hostId, reindexId: id, ...done }, 'reindexed a host');
}

function summaryOf(found: readonly ReconciliationCounts[]) {
  const sum = (of: (each: ReconciliationCounts) => number) =>
    found.reduce((total, each) => total + of(each), 0);
  return {
    records: sum(each => each.source),
    repaired: sum(each => each.repaired),
    removed: sum(each => each.removed),
  };
}
