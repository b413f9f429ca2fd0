import type { Logger } from 'pino';
import { type Db, isDatabaseOutage } from '../../db/connection.ts';
import {
  type ComparedRecord,
  comparePage,
  type ReconciliationCounts,
  type Repair,
} from '../../db/search/reconciliation.ts';
import { indexRecords, type SearchKey, type SearchTable } from '../../db/search/records.ts';
import { isStatementCancelled, reasonOf } from '../../platform/error-reason.ts';
import { indexWithFallback } from './flush.ts';
import { CHUNK_SIZE } from './pipeline-limits.ts';

/*
 * Compares all records of some hosts with the index, both in the order of their ids, and repairs differences.
 *
 * - A record with a pending event is left to the pipeline and counts as correct.
 * - A record that exists only in the index is an orphan. Orphans are removed at the end, all or none: many orphans
 *   are more likely caused by lost rows (a partial restore, a wrong connection) than by deletions without events. Then
 *   they stay until an operator confirms.
 * - A repair writes the current record, like any event, so a reconciliation may run concurrently with the pipeline.
 * - Records whose comparison takes too long are compared fewer at a time. A host that cannot be compared is left out, so that it
 *   keeps no other from it.
 */

export interface ReconcileParts {
  readonly db: Db;
  readonly log: Logger;
  readonly stop: AbortSignal;
}

export interface ReconcilePlan {
  readonly hostIds: readonly string[];
  readonly table: SearchTable;
  /** Which records are rewritten: stale and missing ones, missing ones only, or all. */
  readonly repair: 'different' | 'missing' | 'all';
  readonly since?: Date | null;
  readonly pageSize: number;
  readonly confirmOrphans: boolean;
}

export interface ReconcileResult {
  readonly found: readonly ReconciliationCounts[];
  readonly repairs: readonly Repair[];
}

type Counts = { -readonly [K in keyof ReconciliationCounts]: ReconciliationCounts[K] };

/** Beyond both limits orphans are kept: their table may have lost its rows by mistake. */
const MAX_REMOVED_FRACTION = 0.05;
const MAX_REMOVED = 1_000;
const MAX_LISTED = 1_000;

/** Returns undefined if it was stopped early. Rejects if the only host of the plan cannot be compared. */
export async function reconcileTable(
  plan: ReconcilePlan,
  parts: ReconcileParts,
): Promise<ReconcileResult | undefined> {
  const found: Counts[] = [];
  const repairs: Repair[] = [];
  const orphans: SearchKey[] = [];
  for (const hostId of plan.hostIds) {
    const counts = emptyCounts(hostId, plan.table);
    const own: SearchKey[] = [];
    try {
      for await (const page of pagesOf(plan, hostId, parts)) {
        count(counts, page);
        for (const { originId, state } of page)
          if (state === 'orphan') own.push({ hostId, originTable: plan.table, originId });
        counts.repaired += await repairPage(plan, hostId, page, repairs, parts);
      }
      found.push(counts);
      orphans.push(...own);
    } catch (error) {
      if (isDatabaseOutage(error) || plan.hostIds.length === 1) throw error;
      const facts = {
        event: 'search.maintenance_failed',
        hostId,
        table: plan.table,
        reason: reasonOf(error),
      };
      parts.log.warn(facts, 'failed to compare the records of a host with the search index');
    }
    if (parts.stop.aborted) return undefined;
  }
  await removeOrphans(plan, orphans, found, repairs, parts);
  return { found, repairs };
}

async function* pagesOf(
  { table, pageSize, since = null }: ReconcilePlan,
  hostId: string,
  { db, stop }: ReconcileParts,
) {
  let after: string | null = null;
  let size = pageSize;
  while (!stop.aborted) {
    let compared: ComparedRecord[];
    try {
      compared = await comparePage(db, { hostId, table, after, size, since });
    } catch (error) {
      if (size === 1 || !isStatementCancelled(error)) throw error;
      size = Math.ceil(size / 10);
      continue;
    }
    yield compared.map(record => (record.isPending ? { ...record, state: 'same' as const } : record));
    if (compared.length < size) return;
    after = compared.at(-1)?.originId ?? null;
  }
}

async function repairPage(
  { table, repair }: ReconcilePlan,
  hostId: string,
  page: readonly ComparedRecord[],
  repairs: Repair[],
  parts: ReconcileParts,
): Promise<number> {
  const isDifferent = ({ state }: ComparedRecord) =>
    state === 'missing' || (repair !== 'missing' && state === 'stale');
  const wanted = page.filter(
    record => record.isRecent && (isDifferent(record) || (repair === 'all' && record.state === 'same')),
  );
  for (const { originId, state } of wanted)
    if (state === 'missing' || state === 'stale') list(repairs, { hostId, table, originId, what: state });
  const keys = wanted.map(({ originId }) => ({ hostId, originTable: table, originId }));
  return indexAll(keys, repair === 'all', parts);
}

async function removeOrphans(
  { table, confirmOrphans }: ReconcilePlan,
  orphans: readonly SearchKey[],
  found: readonly Counts[],
  repairs: Repair[],
  parts: ReconcileParts,
): Promise<void> {
  const indexed = found.reduce((sum, counts) => sum + counts.indexed, 0);
  const isMany = orphans.length > MAX_REMOVED && orphans.length > indexed * MAX_REMOVED_FRACTION;
  const areKept = isMany && !confirmOrphans;
  if (areKept)
    parts.log.error(
      { event: 'search.orphans_kept', table, orphans: orphans.length },
      'kept too many orphans: their removal needs confirmation',
    );
  else await indexAll(orphans, false, parts);
  for (const { hostId, originId } of orphans) {
    list(repairs, { hostId, table, originId, what: areKept ? 'kept' : 'orphan' });
    const counts = found.find(each => each.hostId === hostId);
    if (counts && !areKept) counts.removed += 1;
  }
}

/** Lists only the first repairs: an empty index may have millions. */
function list(repairs: Repair[], repair: Repair): void {
  if (repairs.length < MAX_LISTED) repairs.push(repair);
}

/** Returns how many were indexed. A failure is logged, and the next reconciliation finds the record again. */
async function indexAll(
  keys: readonly SearchKey[],
  force: boolean,
  { db, log }: ReconcileParts,
): Promise<number> {
  let failed = 0;
  for (let at = 0; at < keys.length; at += CHUNK_SIZE) {
    const index = (some: readonly SearchKey[], withinMs?: number) =>
      indexRecords(db, some, { force, ...(withinMs === undefined ? {} : { withinMs }) });
    for (const { record, error } of await indexWithFallback(db, keys.slice(at, at + CHUNK_SIZE), index)) {
      failed += 1;
      log.warn(
        {
          event: 'search.record_failed',
          table: record.originTable,
          id: record.originId,
          reason: reasonOf(error),
        },
        'a record could not be indexed',
      );
    }
  }
  return keys.length - failed;
}

function emptyCounts(hostId: string, table: SearchTable): Counts {
  const none = { source: 0, indexed: 0, missing: 0, stale: 0, orphans: 0, repaired: 0, removed: 0 };
  return { hostId, table, ...none };
}

function count(counts: Counts, page: readonly ComparedRecord[]): void {
  for (const { state } of page) {
    if (state !== 'orphan') counts.source += 1;
    if (state !== 'missing') counts.indexed += 1;
    if (state === 'missing') counts.missing += 1;
    if (state === 'stale') counts.stale += 1;
    if (state === 'orphan') counts.orphans += 1;
  }
}
