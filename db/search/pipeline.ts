import type { Db } from '../connection.ts';
import { rowsOf } from '../rows-of.ts';

export interface PipelineState {
  readonly pending: number;
  readonly processed: number;
  readonly failed: number;
  readonly lastFlushAt: Date | null;
  /** Age of the oldest pending event; 0 without one. */
  readonly lagMs: number;
  /** Whether a relay is leading. */
  readonly connected: boolean;
  readonly reconnects: number;
  readonly lastEventAt: Date | null;
  readonly flushMs: number;
  readonly reconciledAt: Date | null;
  readonly reconcileMs: number | null;
  readonly nextReconcileAt: Date | null;
}

export async function noteFlush(db: Db, processed: number, failed: number): Promise<void> {
  await rowsOf(db)`
    update search_pipeline set processed = processed + ${processed}, failed = failed + ${failed},
      last_flush_at = clock_timestamp()`;
}

export async function noteRelay(
  db: Db,
  { flushMs, isReconnect }: { readonly flushMs: number; readonly isReconnect: boolean },
): Promise<void> {
  await rowsOf(db)`
    update search_pipeline set flush_ms = ${flushMs}, reconnects = reconnects + ${isReconnect ? 1 : 0}`;
}

export async function noteEvents(db: Db): Promise<void> {
  await rowsOf(db)`update search_pipeline set last_event_at = clock_timestamp()`;
}

/** Stores the end and duration of the reconciliation, and the time of the next one. */
export async function noteReconciliation(db: Db, tookMs: number, nextInMs: number): Promise<void> {
  await rowsOf(db)`
    update search_pipeline set reconciled_at = clock_timestamp(), reconcile_ms = ${Math.round(tookMs)},
      next_reconcile_at = clock_timestamp() + ${nextInMs} * interval '1 millisecond'`;
}

/** Schedules the first reconciliation of a new pipeline one interval from now. */
export async function scheduleReconciliation(db: Db, everyMs: number): Promise<void> {
  await rowsOf(db)`
    update search_pipeline set next_reconcile_at = least(
      next_reconcile_at, clock_timestamp() + ${everyMs} * interval '1 millisecond')`;
}

/** The leader asks several times a second, so this is a query of its own. */
export async function isReconcileDue(db: Db): Promise<boolean> {
  const [pipeline] = await rowsOf<{ isDue: boolean }>(db)`
    select coalesce(next_reconcile_at <= clock_timestamp(), false) as "isDue" from search_pipeline`;
  return pipeline?.isDue ?? false;
}

/** Works as the owner. A relay is connected while it holds its lock. */
export async function readPipelineState(db: Db): Promise<PipelineState> {
  const [state] = await rowsOf<PipelineState>(db)`
    select (select count(*)::integer from search_outbox) as pending, processed::float8, failed::float8,
      last_flush_at as "lastFlushAt",
      coalesce((select extract(epoch from clock_timestamp() - created_at)::float8 * 1000
        from search_outbox order by seq limit 1), 0)
        as "lagMs",
      exists (
        select from pg_locks
        where locktype = 'advisory' and granted and objsubid = 1
          and database = (select oid from pg_database where datname = current_database())
          and (classid::bigint << 32 | objid::bigint) = hashtextextended('parley search relay', 0)
      ) as connected,
      reconnects::float8, last_event_at as "lastEventAt", flush_ms as "flushMs", reconciled_at as "reconciledAt",
      reconcile_ms as "reconcileMs", next_reconcile_at as "nextReconcileAt"
    from search_pipeline`;
  if (!state) throw new Error('the row of search_pipeline is missing');
  return state;
}
