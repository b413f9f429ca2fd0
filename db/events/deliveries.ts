import type { Db } from '../connection.ts';
import { deleteBatch, runInOneProcess, updateBatch } from '../row-batch.ts';
import { type Fragment, jsonOf, rowsOf, sql } from '../rows-of.ts';
import type { SealedSecret } from './webhooks.ts';

/*
 * Deliveries wait here to be sent, and keep their results. Claims and results are for all hosts and work as the owner.
 *
 *   pending, due            no attempt runs, and its time has come
 *   pending, claimed        an attempt is on its way; `due_at` is when it counts as lost, and is due again
 *   pending, not yet due    an attempt failed, and the next one has a time
 *   delivered | dead        ends; a replay makes it pending again
 *
 * The deliveries of one webhook are a lane, with a limited number of claims at a time, and one while the webhook keeps failing.
 */

export interface ClaimedDelivery {
  readonly hostId: string;
  readonly id: string;
  /** Grows with each claim: only the last one stores a result. */
  readonly claim: number;
}

export interface ClaimLimits {
  readonly perLane: number;
  readonly perHost: number;
  readonly inAll: number;
  readonly leaseMs: number;
}

/** After this many failures in a row a lane is paused, and then tried with one delivery at a time. */
const FAILURES_TO_PAUSE = 5;
const FIRST_PAUSE_S = 10;
const MAX_PAUSE_S = 300;

/**
 * Claims due deliveries: the first of each lane of each host, then the next of each, so that neither a host nor a webhook with
 * many delays another. Deliveries are selected by their state, not by a cursor, because transactions commit in another order
 * than they begin. Undefined if another process is claiming: two at once would exceed the limits.
 */
export async function claimDeliveries(db: Db, limits: ClaimLimits): Promise<ClaimedDelivery[] | undefined> {
  // A cheap query comes first: each worker asks several times a second, and mostly nothing waits.
  const [waiting] = await rowsOf<{ some: boolean }>(db)`
    select exists (select from deliveries where state = 'pending') as some`;
  if (!waiting?.some) return [];
  return runInOneProcess(db, 'parley deliveries', tx => claimDue(tx, limits));
}

async function claimDue(
  tx: Db,
  { perLane, perHost, inAll, leaseMs }: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  return rowsOf<ClaimedDelivery>(tx)`
    with recursive lane (host_id, webhook_id) as (
      (select host_id, webhook_id from deliveries where state = 'pending' order by host_id, webhook_id limit 1)
      union all
      select next_lane.* from lane cross join lateral (
        select host_id, webhook_id from deliveries next_delivery
        where state = 'pending'
          and (next_delivery.host_id, next_delivery.webhook_id) > (lane.host_id, lane.webhook_id)
        order by host_id, webhook_id limit 1
      ) next_lane
    ), lane_load as materialized (
      select lane.*, running, sum(running) over (partition by host_id) as of_host, sum(running) over () as of_all
      from lane cross join lateral (
        select count(*) as running from deliveries claimed_delivery
        where claimed_delivery.host_id = lane.host_id and claimed_delivery.webhook_id = lane.webhook_id
          and is_claimed and due_at > now()
      ) own
    ), free_lane as materialized (
      select lane_load.*,
        case when coalesce(failures, 0) < ${FAILURES_TO_PAUSE} then ${perLane} else 1 end - running as slots
      from lane_load join webhooks on webhooks.host_id = lane_load.host_id and webhooks.id = webhook_id and enabled
      left join webhook_lanes lane_state
        on lane_state.host_id = lane_load.host_id and lane_state.webhook_id = lane_load.webhook_id
      where coalesce(paused_until, '-infinity') <= now()
        and not exists (select from hosts where hosts.id = lane_load.host_id and disabled)
    ), due_delivery as materialized (
      select free_lane.host_id, id, due_at, of_host, of_all,
        row_number() over (partition by free_lane.host_id order by in_lane, due_at) as place
      from free_lane cross join lateral (
        select id, due_at, row_number() over (order by due_at) as in_lane from (
          select id, due_at from deliveries waiting_delivery
          where waiting_delivery.host_id = free_lane.host_id and waiting_delivery.webhook_id = free_lane.webhook_id
            and state = 'pending' and due_at <= now()
          order by due_at limit greatest(slots, 0)
        ) first_delivery
      ) own
    ), chosen_delivery as materialized (
      select host_id, id from due_delivery where place + of_host <= ${perHost}
      order by place, due_at limit (select greatest(${inAll}::bigint - coalesce(max(of_all), 0), 0) from due_delivery)
    )
    update deliveries set is_claimed = true, claim = claim + 1, due_at = now() + ${leaseMs} * interval '1 millisecond'
    from chosen_delivery where deliveries.host_id = chosen_delivery.host_id and deliveries.id = chosen_delivery.id
      and state = 'pending' and due_at <= now()
    returning deliveries.host_id as "hostId", deliveries.id, claim`;
}

/** Claims that were not attempted become due at once. */
export async function releaseDeliveries(db: Db, claimed: readonly ClaimedDelivery[]): Promise<void> {
  await rowsOf(db)`
    update deliveries set is_claimed = false, due_at = now()
    from ${toRows(claimed)}
    where deliveries.host_id = attempt.host_id and deliveries.id = attempt.id and deliveries.claim = attempt.claim
      and is_claimed`;
}

export interface Dispatch {
  readonly webhookId: string;
  readonly url: string;
  readonly secrets: readonly SealedSecret[];
  readonly type: string;
  /** JSON text. */
  readonly data: string;
  readonly happenedAt: Date;
  readonly attempts: number;
  /** Set if it goes to an address of its own, not to the webhook's. */
  readonly isCallback: boolean;
  /** Time since its schedule began. */
  readonly ageMs: number;
  /** Time on the clock of the database. */
  readonly now: Date;
}

/**
 * Finds the dispatches of the claims, in order; undefined for an invalid claim, or a webhook or host that is gone or disabled.
 */
export async function findDispatches(
  db: Db,
  claimed: readonly ClaimedDelivery[],
): Promise<(Dispatch | undefined)[]> {
  const found = await rowsOf<Dispatch & { at: string }>(db)`
    select attempt.at, webhook_id as "webhookId", coalesce(deliveries.url, webhooks.url) as url,
      deliveries.url is not null as "isCallback", secrets, type, data::text,
      events.created_at as "happenedAt", attempts, clock_timestamp() as now,
      extract(epoch from clock_timestamp() - scheduled_at)::float8 * 1000 as "ageMs"
    from ${toRows(claimed)}
    join deliveries on deliveries.host_id = attempt.host_id and deliveries.id = attempt.id
      and deliveries.claim = attempt.claim and is_claimed
    join events on events.host_id = deliveries.host_id and events.id = event_id
    join webhooks on webhooks.host_id = deliveries.host_id and webhooks.id = webhook_id and enabled
    join hosts on hosts.id = deliveries.host_id and not hosts.disabled`;
  const byPlace = new Map(found.map(({ at, ...dispatch }) => [Number(at), dispatch]));
  return claimed.map((_delivery, index) => byPlace.get(index + 1));
}

function toRows(claimed: readonly ClaimedDelivery[]): Fragment {
  return sql`unnest(${claimed.map(({ hostId }) => hostId)}::uuid[], ${claimed.map(({ id }) => id)}::uuid[],
    ${claimed.map(({ claim }) => String(claim))}::integer[]) with ordinality attempt (host_id, id, claim, at)`;
}

export interface AttemptResult extends ClaimedDelivery {
  readonly status: number | null;
  /** Null for a success. */
  readonly error: string | null;
  /** The pause before the next attempt; null if there is none. */
  readonly nextInMs: number | null;
}

/**
 * Stores the results of attempts whose claims are valid. A webhook with nothing but failures among them counts these: after
 * several in a row it is paused, and a success ends that. Failures beyond that, at once or during the pause, have the same
 * cause, and do not prolong it.
 */
export async function noteResults(db: Db, results: readonly AttemptResult[]): Promise<void> {
  const pausedUntil = (
    failures: Fragment,
  ) => sql`case when ${failures} < ${FAILURES_TO_PAUSE} then '-infinity'::timestamptz
    else clock_timestamp() + interval '1 second' *
      least(${FIRST_PAUSE_S} * 2 ^ least(${failures} - ${FAILURES_TO_PAUSE}, 10), ${MAX_PAUSE_S}) end`;
  const allFailures = sql`greatest(lane_state.failures + 1,
    least(lane_state.failures + excluded.failures, ${FAILURES_TO_PAUSE}))`;
  await rowsOf(db)`
    with attempted_delivery as (
      update deliveries set is_claimed = false, attempts = attempts + 1, last_status = attempt.status,
        last_error = attempt.error,
        state = case when attempt.error is null then 'delivered' when "nextInMs" is null then 'dead' else 'pending' end,
        due_at = clock_timestamp() + coalesce("nextInMs", 0) * interval '1 millisecond',
        delivered_at = case when attempt.error is null then clock_timestamp() end
      from jsonb_to_recordset(${jsonOf(results)}::jsonb)
        attempt ("hostId" uuid, id uuid, claim integer, status integer, error text, "nextInMs" float8)
      where deliveries.host_id = attempt."hostId" and deliveries.id = attempt.id and deliveries.claim = attempt.claim
        and is_claimed
      returning host_id, webhook_id, attempt.error
    ), lane as materialized (
      select host_id, webhook_id, least(count(*), ${FAILURES_TO_PAUSE})::integer as failed, bool_or(error is null) as is_well
      from attempted_delivery group by host_id, webhook_id
    ), recovered_lane as (
      delete from webhook_lanes using lane
      where webhook_lanes.host_id = lane.host_id and webhook_lanes.webhook_id = lane.webhook_id and is_well
    )
    insert into webhook_lanes as lane_state (host_id, webhook_id, failures, paused_until)
    select lane.host_id, webhook_id, failed, ${pausedUntil(sql`failed`)} from lane
    join webhooks on webhooks.host_id = lane.host_id and webhooks.id = webhook_id
    where not is_well order by lane.host_id, webhook_id
    on conflict (host_id, webhook_id) do update set failures = ${allFailures}, paused_until = ${pausedUntil(allFailures)}
      where lane_state.paused_until <= clock_timestamp()`;
}

/**
 * Disables a webhook whose receiver at this URL has said that it is gone, unless the webhook has another URL by now. Its
 * deliveries wait until it is enabled again.
 */
export async function disableWebhook(db: Db, hostId: string, webhookId: string, url: string): Promise<void> {
  await rowsOf(db)`
    update webhooks set enabled = false, updated_at = now()
    where host_id = ${hostId} and id = ${webhookId} and url = ${url} and enabled`;
}

/**
 * Ends deliveries whose schedule is over, also of disabled or paused webhooks, but not of disabled hosts. Returns their number.
 */
export function endOldDeliveries(db: Db, olderThanMs: number, limit: number): Promise<number> {
  const batch = {
    table: sql`deliveries`,
    where: sql`state = 'pending' and (not is_claimed or due_at <= now())
      and scheduled_at < now() - ${olderThanMs} * interval '1 millisecond'
      and not exists (select from hosts where hosts.id = host_id and disabled)`,
    limit,
  };
  return updateBatch(
    db,
    batch,
    sql`state = 'dead', is_claimed = false,
      last_error = coalesce(last_error, 'was not attempted: the webhook was disabled or kept failing')`,
  );
}

/** Deletes deliveries of deleted webhooks whose event's transaction did not see the deletion. Returns their number. */
export function deleteStrayDeliveries(db: Db, limit: number): Promise<number> {
  return deleteBatch(db, {
    table: sql`deliveries`,
    where: sql`state = 'pending' and not exists (
      select from webhooks where webhooks.host_id = deliveries.host_id and webhooks.id = webhook_id)`,
    limit,
  });
}

/** A condition for events that are yet to be sent, of a disabled host, or again long after they happened. */
export const WAITS = sql`exists (
  select from deliveries where deliveries.host_id = events.host_id and event_id = events.id and state = 'pending')`;

/** Deletes the events of the condition, with their deliveries. Works as the owner, for all hosts. */
export function deleteEvents(tx: Db, where: Fragment, limit: number): Promise<number> {
  return deleteBatch(tx, {
    table: sql`events`,
    where,
    orderBy: sql`created_at`,
    limit,
  });
}

/**
 * Counts due, unclaimed deliveries, with the oldest's age in milliseconds; without paused or disabled lanes and disabled hosts.
 */
export async function readDeliveryLag(db: Db): Promise<{ due: number; lagMs: number }> {
  const [lag] = await rowsOf<{ due: number; lagMs: number }>(db)`
    select count(*)::int as due,
      coalesce(extract(epoch from now() - min(due_at)) * 1000, 0)::float8 as "lagMs"
    from deliveries join webhooks on webhooks.host_id = deliveries.host_id and webhooks.id = webhook_id and enabled
    join hosts on hosts.id = deliveries.host_id and not hosts.disabled
    left join webhook_lanes lanes on lanes.host_id = deliveries.host_id and lanes.webhook_id = webhooks.id
    where state = 'pending' and due_at <= now() and coalesce(failures, 0) < ${FAILURES_TO_PAUSE}`;
  return lag ?? { due: 0, lagMs: 0 };
}
