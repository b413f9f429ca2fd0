import type { Db } from './connection.ts';
import { jsonOf, rowsOf } from './rows-of.ts';

/** A process that has not counted for this long is gone. */
const FRESH_SECONDS = 30;

/** Works as the owner: what processes count belongs to no host. */
export async function storeMetrics(db: Db, process: string, metrics: unknown): Promise<void> {
  await rowsOf(db)`
    insert into process_metrics (process, metrics) values (${process}, ${jsonOf(metrics)})
    on conflict (process) do update set metrics = excluded.metrics, counted_at = excluded.counted_at`;
  await rowsOf(
    db,
  )`delete from process_metrics where counted_at < now() - ${FRESH_SECONDS} * interval '1 second'`;
}

/** What all processes counted last, each as it was given. */
export async function freshMetrics(db: Db): Promise<unknown[]> {
  const rows = await rowsOf<{ metrics: unknown }>(db)`
    select metrics from process_metrics
    where counted_at > now() - ${FRESH_SECONDS} * interval '1 second'
    order by process`;
  return rows.map(({ metrics }) => metrics);
}

export async function deleteMetrics(db: Db, process: string): Promise<void> {
  await rowsOf(db)`delete from process_metrics where process = ${process}`;
}
