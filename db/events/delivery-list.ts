import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isAfter, type PageOf, placeOf, type TimedRow, type TimeKey } from '../pages.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

type DeliveryState = ListedDelivery['state'];

type ListedDelivery = DataOf<'listDeliveries'>['items'][number] & TimedRow;

export interface DeliveryFilter {
  readonly webhookId?: string | undefined;
  readonly state?: DeliveryState | undefined;
}

const states: readonly DeliveryState[] = ['pending', 'delivered', 'dead'];

/** Lists the newest first, after the one of `after`. */
export async function listDeliveries(
  { tx, hostId }: HostScope,
  filter: DeliveryFilter,
  { limit, after }: PageOf<TimeKey>,
): Promise<ListedDelivery[]> {
  const first = sql`${isAfter(sql`created_at`, sql`id`, after)} order by created_at desc, id desc limit ${limit}`;
  return rowsOf<ListedDelivery>(tx)`
    select deliveries.id as "deliveryId", webhook_id as "webhookId", state, attempts, last_status as "lastStatus",
      last_error as "lastError", type, case when state = 'pending' then due_at at time zone 'UTC' end as "nextAttemptAt",
      deliveries.created_at at time zone 'UTC' as "createdAt", delivered_at at time zone 'UTC' as "deliveredAt",
      ${placeOf(sql`deliveries.created_at`, sql`deliveries.id`)}
    from deliveries join events on events.host_id = deliveries.host_id and events.id = event_id
    where deliveries.host_id = ${hostId} and deliveries.id = any (array(${listedIds(hostId, filter, first, limit)}))
    order by deliveries.created_at desc, deliveries.id desc`;
}

/**
 * With a filter, the index is read once for each webhook and state, so that a filter that few of many deliveries match costs no
 * more than none.
 */
function listedIds(
  hostId: string,
  { webhookId, state }: DeliveryFilter,
  first: Fragment,
  limit: number,
): Fragment {
  if (webhookId === undefined && state === undefined)
    return sql`select id from deliveries where host_id = ${hostId} ${first}`;
  const ofWebhook = webhookId === undefined ? sql`` : sql`and id = ${webhookId}::uuid`;
  return sql`
    select listed_delivery.id from unnest(${state ? [state] : states}::text[]) state_filter (state)
    cross join (select id from webhooks where host_id = ${hostId} ${ofWebhook}) webhook
    cross join lateral (
      select id, created_at from deliveries delivery
      where delivery.host_id = ${hostId} and delivery.webhook_id = webhook.id and delivery.state = state_filter.state
        ${first}
    ) listed_delivery
    order by listed_delivery.created_at desc, listed_delivery.id desc limit ${limit}`;
}

export async function hasDeliveries({ tx, hostId }: HostScope, ids: readonly string[]): Promise<boolean> {
  const [found] = await rowsOf<{ count: number }>(tx)`
    select count(*)::int from deliveries where host_id = ${hostId} and id = any (${ids}::uuid[])`;
  return found?.count === new Set(ids.map(id => id.toLowerCase())).size;
}

export interface ReplayedDeliveries {
  /** Deliveries in any state but pending. */
  readonly ids?: readonly string[] | undefined;
  /** Only deliveries in this state that were created at or after this time. */
  readonly since?: Date | undefined;
  /** By default dead ones. `all` includes delivered ones, unless they were sent again within the last hour. */
  readonly state?: 'dead' | 'all' | undefined;
  readonly webhookId?: string | undefined;
}

/** Restarts their schedules and returns their number. Beyond the limit, those whose schedule began first come first. */
export async function replayDeliveries(
  { tx, hostId }: HostScope,
  { ids, since, state = 'dead', webhookId }: ReplayedDeliveries,
  limit: number,
): Promise<number> {
  const chosen = ids
    ? sql`id = any (${ids}::uuid[]) and state <> 'pending'`
    : sql`(state = 'dead' or state = 'delivered' and ${state === 'all'}
          and coalesce(replayed_at < now() - interval '1 hour', true)) and created_at >= ${since ?? null}::timestamptz`;
  const replayed = await rowsOf(tx)`
    update deliveries set state = 'pending', attempts = 0, due_at = clock_timestamp(), is_claimed = false,
      scheduled_at = clock_timestamp(), replayed_at = clock_timestamp(), last_status = null, last_error = null, delivered_at = null
    where host_id = ${hostId} and id = any (array(
      select id from deliveries
      where host_id = ${hostId} and ${chosen} and webhook_id = coalesce(${webhookId ?? null}, webhook_id)
      order by scheduled_at, id limit ${limit} for update
    ))
    returning id`;
  return replayed.length;
}
