import type { Db } from './connection.ts';
import { type Fragment, rowsOf, sql } from './rows-of.ts';
import type { SealedSecret } from './webhooks.ts';

/*
 * What is to be sent, and what became of it. Claims and results are for all hosts and work as the owner.
 *
 *   pending, due            no attempt runs, and its time has come
 *   pending, claimed        an attempt is on its way; `due_at` is when it counts as lost, and is due again
 *   pending, not yet due    an attempt failed, and the next one has a time
 *   delivered | dead        ends; a replay makes it pending again
 *
 * A lane is what waits for one webhook. It has at most so many claims at a time, and one only while its webhook keeps
 * failing.
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
  /** How long a claim lasts. */
  readonly leaseMs: number;
}

/** After so many failures in a row a lane is paused, and then tried with one delivery at a time. */
const FAILURES_TO_PAUSE = 5;
const FIRST_PAUSE_S = 10;
const MAX_PAUSE_S = 300;

/**
 * Claims what is due: the first of each lane of each host, then the next of each, so that neither a host nor a webhook
 * with many delays another. Deliveries are selected by their state, not by a cursor, because transactions commit in another
 * order than they begin. Undefined where another process is claiming: two at once would exceed the limits.
 */
export async function claimDeliveries(db: Db, limits: ClaimLimits): Promise<ClaimedDelivery[] | undefined> {
  return db.transaction(async tx => {
    const [lock] = await rowsOf<{ free: boolean }>(tx)`
      select pg_try_advisory_xact_lock(hashtext('parley deliveries')) as free`;
    return lock?.free ? claimDue(tx, limits) : undefined;
  });
}

async function claimDue(
  tx: Db,
  { perLane, perHost, inAll, leaseMs }: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  return rowsOf<ClaimedDelivery>(tx)`
    with recursive lane (host_id, webhook_id) as (
      (select host_id, webhook_id from deliveries where state = 'pending' order by host_id, webhook_id limit 1)
      union all
      select next.* from lane cross join lateral (
        select host_id, webhook_id from deliveries other
        where state = 'pending' and (other.host_id, other.webhook_id) > (lane.host_id, lane.webhook_id)
        order by host_id, webhook_id limit 1
      ) next
    ), counted as materialized (
      select lane.*, running, sum(running) over (partition by host_id) as of_host, sum(running) over () as of_all
      from lane cross join lateral (
        select count(*) as running from deliveries claimed
        where claimed.host_id = lane.host_id and claimed.webhook_id = lane.webhook_id
          and is_claimed and due_at > now()
      ) own
    ), free as materialized (
      select counted.*,
        case when coalesce(failures, 0) < ${FAILURES_TO_PAUSE} then ${perLane} else 1 end - running as slots
      from counted join webhooks on webhooks.host_id = counted.host_id and webhooks.id = webhook_id and enabled
      left join webhook_lanes lanes on lanes.host_id = counted.host_id and lanes.webhook_id = counted.webhook_id
      where coalesce(paused_until, '-infinity') <= now()
    ), due as materialized (
      select free.host_id, id, due_at, of_host, of_all,
        row_number() over (partition by free.host_id order by in_lane, due_at) as place
      from free cross join lateral (
        select id, due_at, row_number() over (order by due_at) as in_lane from (
          select id, due_at from deliveries waiting
          where waiting.host_id = free.host_id and waiting.webhook_id = free.webhook_id and state = 'pending'
            and due_at <= now()
          order by due_at limit greatest(slots, 0)
        ) of_lane
      ) own
    ), chosen as materialized (
      select host_id, id from due where place + of_host <= ${perHost}
      order by place, due_at limit (select greatest(${inAll}::bigint - coalesce(max(of_all), 0), 0) from due)
    )
    update deliveries set is_claimed = true, claim = claim + 1, due_at = now() + ${leaseMs} * interval '1 millisecond'
    from chosen where deliveries.host_id = chosen.host_id and deliveries.id = chosen.id
      and state = 'pending' and due_at <= now()
    returning deliveries.host_id as "hostId", deliveries.id, claim`;
}

/** What was claimed and not attempted is due at once. */
export async function releaseDeliveries(db: Db, claimed: readonly ClaimedDelivery[]): Promise<void> {
  await rowsOf(db)`
    update deliveries set is_claimed = false, due_at = now()
    from unnest(${claimed.map(({ hostId }) => hostId)}::uuid[], ${claimed.map(({ id }) => id)}::uuid[],
      ${claimed.map(({ claim }) => String(claim))}::integer[]) given (host_id, id, claim)
    where deliveries.host_id = given.host_id and deliveries.id = given.id and deliveries.claim = given.claim
      and is_claimed`;
}

/** What an attempt needs. */
export interface Dispatch {
  readonly webhookId: string;
  readonly url: string;
  readonly secrets: readonly SealedSecret[];
  readonly type: string;
  /** JSON. */
  readonly data: string;
  readonly happenedAt: Date;
  readonly attempts: number;
  /** It goes to an address of its own, not to that of the webhook. */
  readonly isCallback: boolean;
  /** Since its schedule began. */
  readonly ageMs: number;
  /** On the clock of the database. */
  readonly now: Date;
}

/** Undefined where the claim is no longer valid, or the webhook is gone or disabled. */
export async function findDispatch(
  db: Db,
  { hostId, id, claim }: ClaimedDelivery,
): Promise<Dispatch | undefined> {
  const [found] = await rowsOf<Dispatch>(db)`
    select webhook_id as "webhookId", coalesce(deliveries.url, webhooks.url) as url,
      deliveries.url is not null as "isCallback", secrets, type, data::text,
      events.created_at as "happenedAt", attempts, clock_timestamp() as now,
      extract(epoch from clock_timestamp() - scheduled_at)::float8 * 1000 as "ageMs"
    from deliveries join events on events.host_id = deliveries.host_id and events.id = event_id
    join webhooks on webhooks.host_id = deliveries.host_id and webhooks.id = webhook_id and enabled
    where deliveries.host_id = ${hostId} and deliveries.id = ${id} and claim = ${claim} and is_claimed`;
  return found;
}

export interface AttemptResult {
  readonly status: number | null;
  /** Null where it was delivered. */
  readonly error: string | null;
}

/** Ends the pause of the lane, too. */
export async function noteDelivered(
  db: Db,
  { hostId, id, claim }: ClaimedDelivery,
  { status }: AttemptResult,
): Promise<void> {
  await rowsOf(db)`
    with delivered as (
      update deliveries set state = 'delivered', is_claimed = false, attempts = attempts + 1,
        last_status = ${status}, last_error = null, delivered_at = clock_timestamp()
      where host_id = ${hostId} and id = ${id} and claim = ${claim} and is_claimed
      returning host_id, webhook_id
    )
    delete from webhook_lanes using delivered
    where webhook_lanes.host_id = delivered.host_id and webhook_lanes.webhook_id = delivered.webhook_id`;
}

/** `nextInMs` null: that was the last attempt. Its lane is paused after several failures in a row. */
export async function noteFailed(
  db: Db,
  { hostId, id, claim }: ClaimedDelivery,
  { status, error }: AttemptResult,
  nextInMs: number | null,
): Promise<void> {
  const pause = sql`least(${FIRST_PAUSE_S} * 2 ^ least(webhook_lanes.failures + 1 - ${FAILURES_TO_PAUSE}, 10), ${MAX_PAUSE_S})`;
  await rowsOf(db)`
    with failed as (
      update deliveries set is_claimed = false, attempts = attempts + 1, last_status = ${status},
        last_error = ${error}, state = case when ${nextInMs}::float8 is null then 'dead' else 'pending' end,
        due_at = clock_timestamp() + coalesce(${nextInMs}::float8, 0) * interval '1 millisecond'
      where host_id = ${hostId} and id = ${id} and claim = ${claim} and is_claimed
      returning host_id, webhook_id
    )
    insert into webhook_lanes (host_id, webhook_id, failures, paused_until)
    select failed.host_id, webhook_id, 1, '-infinity' from failed
    join webhooks on webhooks.host_id = failed.host_id and webhooks.id = webhook_id
    on conflict (host_id, webhook_id) do update set failures = webhook_lanes.failures + 1,
      paused_until = case when webhook_lanes.failures + 1 < ${FAILURES_TO_PAUSE} then '-infinity'::timestamptz
        else clock_timestamp() + ${pause} * interval '1 second' end`;
}

/** The receiver has said that it is gone. What waits for it waits until the webhook is enabled again. */
export async function disableWebhook(db: Db, hostId: string, webhookId: string): Promise<void> {
  await rowsOf(db)`
    update webhooks set enabled = false, updated_at = now() where host_id = ${hostId} and id = ${webhookId} and enabled`;
}

/** Those whose schedule is over, also while their webhook was disabled or paused. Returns their number. */
export async function endOldDeliveries(db: Db, olderThanMs: number, limit: number): Promise<number> {
  const ended = await rowsOf(db)`
    update deliveries set state = 'dead', is_claimed = false,
      last_error = coalesce(last_error, 'was not attempted: the webhook was disabled or kept failing')
    where (host_id, id) in (
      select host_id, id from deliveries
      where state = 'pending' and not is_claimed
        and scheduled_at < now() - ${olderThanMs} * interval '1 millisecond'
      limit ${limit} for update skip locked
    )
    returning id`;
  return ended.length;
}

/** With their deliveries. Works as the owner, for all hosts. */
export async function deleteEvents(tx: Db, before: Fragment, limit: number): Promise<number> {
  const deleted = await rowsOf(tx)`
    delete from events where (host_id, id) in (
      select host_id, id from events where created_at < ${before} order by created_at limit ${limit} for update skip locked
    )
    returning id`;
  return deleted.length;
}

/** The number that is due and not claimed, and the age of the oldest in milliseconds; without lanes that are paused or disabled. */
export async function readDeliveryLag(db: Db): Promise<{ due: number; lagMs: number }> {
  const [lag] = await rowsOf<{ due: number; lagMs: number }>(db)`
    select count(*)::int as due,
      coalesce(extract(epoch from now() - min(due_at)) * 1000, 0)::float8 as "lagMs"
    from deliveries join webhooks on webhooks.host_id = deliveries.host_id and webhooks.id = webhook_id and enabled
    left join webhook_lanes lanes on lanes.host_id = deliveries.host_id and lanes.webhook_id = webhooks.id
    where state = 'pending' and due_at <= now() and coalesce(failures, 0) < ${FAILURES_TO_PAUSE}`;
  return lag ?? { due: 0, lagMs: 0 };
}
