import type { Db } from '../connection.ts';
import type { Runner } from '../host-transaction.ts';
import { aggregateInBatches } from '../reports/report-aggregation.ts';
import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/*
 * The cost of model calls. A call of a host with a budget is in one of these states:
 *   reserved   the most that it can cost counts as spent;
 *   recorded   one statement removed the reservation and added the cost;
 *   left over  its process died: the reservation ends when a later attempt of the turn reserves, or when it expires.
 * A call of another host is only recorded. Amounts are `numeric`, and decimals as text here, never floats.
 */

export interface SpendReservation {
  readonly callId: string;
  /** A decimal. */
  readonly amount: string;
  /** Ends a reservation that an earlier attempt of the turn left behind. */
  readonly turn?: { readonly turnId: string; readonly attempt: number } | undefined;
  /** Longer than the call may take. */
  readonly lastsMs: number;
}

export interface SpentCall {
  readonly hostId: string;
  readonly callId: string;
  readonly model: string;
  /** Empty if the call is not for a turn. */
  readonly avatarId: string;
  readonly purpose: string;
  /** Tokens of the prompt. */
  readonly input: number;
  /** The part of the input that the provider had cached. */
  readonly cached: number;
  readonly output: number;
  /** A decimal. */
  readonly cost: string;
  /** Set if the provider reported no tokens, so that they were counted. */
  readonly isEstimated: boolean;
  /** Set if the host paid with its own key: it counts for no budget. */
  readonly isOwn: boolean;
  /** False: the call took nothing, and only ends its reservation. A transcribed recording takes minutes, and no tokens. */
  readonly isBilled: boolean;
  /** Time since the call began; a duration, because clocks of machines differ. */
  readonly ageMs: number;
}

/** The period whose budget a call would exceed. */
export interface ExceededBudget {
  readonly budget: 'day' | 'month';
  /** Seconds until it ends. */
  readonly retryAfter: number;
}

/** Reserves an amount; returns undefined if it fits the host's budgets. Works as the owner, for any host. */
export async function reserveSpend(
  db: Db,
  hostId: string,
  { callId, amount, turn, lastsMs }: SpendReservation,
): Promise<ExceededBudget | undefined> {
  const [reserved] = await rowsOf<ExceededBudget | { budget: null }>(db)`
    select period as budget, seconds as "retryAfter" from reserve_of_budgets(${hostId}, ${callId}, ${turn?.turnId ?? null}, ${turn?.attempt ?? null}::integer,
      ${amount}::numeric, ${lastsMs}::double precision * interval '1 millisecond')`;
  return reserved?.budget ? reserved : undefined;
}

/** Records calls and ends their reservations; a repeated call counts once. Works as the owner, for all hosts. */
export async function recordSpend(db: Runner, calls: readonly SpentCall[]): Promise<void> {
  const texts = (of: (call: SpentCall) => unknown) => calls.map(call => String(of(call)));
  await rowsOf(db)`
    with spent_call as (
      select * from unnest(${texts(call => call.hostId)}::uuid[], ${texts(call => call.callId)}::uuid[],
        ${texts(call => call.model)}::text[], ${texts(call => call.avatarId)}::text[],
        ${texts(call => call.purpose)}::text[], ${texts(call => call.input)}::bigint[],
        ${texts(call => call.cached)}::bigint[], ${texts(call => call.output)}::bigint[],
        ${texts(call => call.cost)}::numeric[], ${texts(call => call.isEstimated)}::boolean[],
        ${texts(call => call.isOwn)}::boolean[], ${texts(call => call.isBilled)}::boolean[], ${texts(call => call.ageMs)}::double precision[])
        as spent_call (host_id, id, model, avatar_id, purpose, input, cached, output, cost, is_estimated, is_own,
        is_billed, age_ms)
    ), ended_reservation as (
      delete from spend_reservations reservation using spent_call
      where reservation.host_id = spent_call.host_id and reservation.id = spent_call.id
      returning reservation.id, reserved_at
    )
    insert into spend_deltas (host_id, id, at, model, avatar_id, purpose, tokens, input_tokens, cached_tokens,
      output_tokens, cost, estimated_cost, own_cost)
    select host_id, id, coalesce(reserved_at, clock_timestamp() - age_ms * interval '1 millisecond'), model,
      avatar_id, purpose, input + output, input, cached, output, cost, case when is_estimated then cost else 0 end,
      case when is_own then cost else 0 end
    from spent_call left join ended_reservation using (id)
    where is_billed and exists (select from hosts where hosts.id = host_id)
    on conflict (host_id, id) do nothing`;
}

/** A process repeats an uncertain recording within this time: seconds after the database answers again. */
const KEPT_MS = 3_600_000;

/** Adds deltas to the spend of their days, and deletes expired reservations. Works as the owner, for all hosts. */
export async function aggregateSpend(db: Db): Promise<number> {
  await rowsOf(db)`delete from spend_reservations where expires_at <= clock_timestamp()`;
  const kept = sql`${KEPT_MS}::double precision * interval '1 millisecond'`;
  return aggregateInBatches(
    db,
    'parley spend aggregation',
    most => sql`aggregate_spend_deltas(${most}, ${kept})`,
  );
}

/** The sum of the calls of a period, as the API returns it; costs are decimals. */
export interface SpendSum {
  readonly calls: number;
  readonly tokens: number;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly cost: string;
  readonly estimatedCost: string;
}

export type SpendGroup = 'total' | 'day' | 'model' | 'avatar' | 'purpose';

export interface GroupedSpend extends SpendSum {
  readonly group: SpendGroup;
  /** The day (2026-03-02), model, avatar id or purpose; null for the total. */
  readonly name: string | null;
}

/** Reads the host's spend in these local days, both included: in total, and by each group that has any. */
export async function readSpend(
  { tx, hostId }: HostScope,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<GroupedSpend[]> {
  return rowsOf<GroupedSpend>(tx)`
    with spend_entry as (
      select day, model, avatar_id, purpose, calls, tokens, input_tokens, cached_tokens, output_tokens, cost, estimated_cost
      from spend_days where host_id = ${hostId} and day between ${first}::date and ${last}::date
      union all
      select day, model, avatar_id, purpose, 1, tokens, input_tokens, cached_tokens, output_tokens, cost, estimated_cost
      from spend_deltas join hosts on hosts.id = host_id, lateral (select local_day(at, time_zone) as day) at_day
      where host_id = ${hostId} and counted_at is null and day between ${first}::date and ${last}::date
    )
    select
      case grouping(day, model, avatar_id, purpose)
        when 7 then 'day' when 11 then 'model' when 13 then 'avatar' when 14 then 'purpose' else 'total' end as "group",
      coalesce(day::text, model, avatar_id, purpose) as name,
      coalesce(sum(calls), 0)::float8 as calls, coalesce(sum(tokens), 0)::float8 as tokens,
      coalesce(sum(input_tokens), 0)::float8 as input_tokens, coalesce(sum(cached_tokens), 0)::float8 as cached_tokens,
      coalesce(sum(output_tokens), 0)::float8 as output_tokens,
      trim_scale(coalesce(sum(cost), 0))::text as cost,
      trim_scale(coalesce(sum(estimated_cost), 0))::text as "estimatedCost"
    from spend_entry group by grouping sets ((), (day), (model), (avatar_id), (purpose))
    order by sum(cost) desc, name`;
}
