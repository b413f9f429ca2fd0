import type { Db } from '../connection.ts';
import { rowOf, rowsOf } from '../rows-of.ts';
import type { HostsScope } from '../with-hosts.ts';
import type { SearchTable } from './records.ts';

export type ReindexMode = 'missing' | 'full';

export interface ReindexOrder {
  readonly id: string;
  readonly tables: readonly SearchTable[];
  readonly mode: ReindexMode;
  readonly since: Date | null;
  readonly batchSize: number;
  readonly confirmOrphans: boolean;
  /** Set if nothing needs to be reindexed. */
  readonly isFinished?: boolean;
}

export interface Reindex extends ReindexOrder {
  readonly hostId: string;
}

/** Orders a reindex for these hosts, or returns the id of an unfinished order of one of them. */
export async function orderReindex(
  { tx, hostIds }: HostsScope,
  order: ReindexOrder,
): Promise<{ readonly runningId: string } | undefined> {
  const [running] = await rowsOf<{ id: string }>(tx)`
    select id from search_reindexes
    where host_id = any (${hostIds}::uuid[]) and finished_at is null order by created_at limit 1`;
  if (running) return { runningId: running.id };
  const ordered = await rowsOf(tx)`
    insert into search_reindexes (host_id, id, tables, mode, since, batch_size, confirm_orphans, finished_at)
    select host_id, ${order.id}, ${order.tables}::text[], ${order.mode}, ${order.since}::timestamptz,
      ${order.batchSize}, ${order.confirmOrphans},
      case when ${order.isFinished ?? false} then now() end
    from unnest(${hostIds}::uuid[]) host_id order by 1
    on conflict do nothing returning id`;
  // If a concurrent order came between the two statements, ours is withdrawn.
  if (ordered.length === hostIds.length) return undefined;
  await rowsOf(
    tx,
  )`delete from search_reindexes where host_id = any (${hostIds}::uuid[]) and id = ${order.id}`;
  return orderReindex({ tx, hostIds }, order);
}

/** Finds the progress of an order for these hosts; undefined if none of them has it. */
export async function findReindex(
  { tx, hostIds }: HostsScope,
  id: string,
): Promise<{ readonly hasStarted: boolean; readonly isFinished: boolean } | undefined> {
  const [found] = await rowsOf<{ hosts: number; through: number }>(tx)`
    select count(*)::integer as hosts, count(finished_at)::integer as through
    from search_reindexes where host_id = any (${hostIds}::uuid[]) and id = ${id}`;
  if (!found || found.hosts === 0) return undefined;
  return { hasStarted: found.through > 0, isFinished: found.through === found.hosts };
}

/** Finds the oldest unfinished order of any other host. Works as the owner. */
export async function findNextReindex(
  db: Db,
  exceptHostIds: readonly string[] = [],
): Promise<Reindex | undefined> {
  return rowOf<Reindex>(db)`
    select host_id as "hostId", id, tables, mode, since, batch_size as "batchSize",
      confirm_orphans as "confirmOrphans"
    from search_reindexes
    where finished_at is null and host_id <> all (${exceptHostIds}::uuid[])
    order by created_at, host_id limit 1`;
}

export async function finishReindex(
  db: Db,
  { hostId, id }: { readonly hostId: string; readonly id: string },
  { repaired, removed }: { readonly repaired: number; readonly removed: number },
): Promise<void> {
  await rowsOf(db)`
    update search_reindexes
    set finished_at = clock_timestamp(), indexed = ${repaired}, removed = ${removed}
    where host_id = ${hostId} and id = ${id}`;
}
