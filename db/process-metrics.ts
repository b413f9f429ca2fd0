import type { Db } from './connection.ts';
import { jsonOf, rowsOf } from './rows-of.ts';

/** A process without metrics for this long has ended: each stores them every 5 s, and two in a row may be late. */
const FRESH_SECONDS = 15;

/** Works as the owner: process metrics belong to no host. */
export async function storeMetrics(db: Db, process: string, metrics: unknown): Promise<void> {
  await rowsOf(db)`
    insert into process_metrics (process, metrics) values (${process}, ${jsonOf(metrics)})
    on conflict (process) do update set metrics = excluded.metrics, counted_at = excluded.counted_at`;
  await rowsOf(
    db,
  )`delete from process_metrics where counted_at < now() - ${FRESH_SECONDS} * interval '1 second'`;
}

/** Reads the latest metrics of each process, stored in the last `withinSeconds`. */
export async function readFreshMetrics(db: Db, withinSeconds = FRESH_SECONDS): Promise<unknown[]> {
  const rows = await rowsOf<{ metrics: unknown }>(db)`
    select metrics from process_metrics
    where counted_at > now() - ${Math.min(withinSeconds, FRESH_SECONDS)} * interval '1 second'
    order by process`;
  return rows.map(({ metrics }) => metrics);
}

export async function deleteMetrics(db: Db, process: string): Promise<void> {
  await rowsOf(db)`delete from process_metrics where process = ${process}`;
}
