import type { Db } from '../connection.ts';
import { isAfter, microsecondsOf, type PageOf, type TimeKey } from '../pages.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { isInParts, isWithin, type Period, splitPeriod } from './counted-period.ts';

/*
 * Tells how the services of a host ended. Each message, closing and request for help notes its conversation
 * (`service_changes`); folding counts the services of these conversations anew. A report folds its host's first, as far as it
 * may wait for them. A service that nobody closed is open until a day has passed without a message.
 */

export const outcomes = ['assistant', 'human', 'abandoned', 'reopened', 'open'] as const;
export type ServiceOutcome = (typeof outcomes)[number];

const FOLD_BATCH_SIZE = 250;
const isOpen = sql`(not ended and last_at > now() - interval '1 day')`;

/** Folds a batch of noted conversations. `full`: there may be more. `busy`: another transaction folds. */
export async function foldServices(
  { tx, hostId }: HostScope,
  size = FOLD_BATCH_SIZE,
): Promise<'done' | 'full' | 'busy'> {
  const [row] = await rowsOf<{ count: number | null }>(tx)`
    select case when exists (select from service_changes where host_id = ${hostId})
      then fold_services(${hostId}, ${size})::float8 else 0 end as count`;
  const count = row?.count ?? null;
  if (count === null) return 'busy';
  return count < size ? 'done' : 'full';
}

/** Lists the hosts that have changes to fold. Works as the owner. */
export async function listHostsWithServicesToFold(db: Db): Promise<string[]> {
  const hosts = await rowsOf<{ id: string }>(db)`
    select id from hosts where exists (select from service_changes where host_id = hosts.id) order by id`;
  return hosts.map(({ id }) => id);
}

/** Counts the services that were opened in the period. */
export async function countOutcomes(
  { tx, hostId }: HostScope,
  period: Period,
): Promise<Record<ServiceOutcome, number>> {
  const split = splitPeriod(period, 'day');
  const openedAt = sql`opened_at`;
  const inPeriod = isWithin(openedAt, period);
  const rows = await rowsOf<{ outcome: ServiceOutcome; total: number }>(tx, { isPlannedOnce: false })`
    select outcome, sum(total)::float8 as total from (
      select outcome, total from service_days
      where host_id = ${hostId} and day >= ${split.whole?.from ?? null}::date and day < ${split.whole?.until ?? null}::date
      union all
      select outcome, 1 from services where host_id = ${hostId}
        and outcome in ('assistant', 'human', 'abandoned', 'reopened') and (${isInParts(openedAt, split)})
      union all
      select service_change.outcome, service_change.total from services
      cross join lateral (values (services.outcome, -1), ('open', 1)) service_change (outcome, total)
      where host_id = ${hostId} and ${isOpen} and ${inPeriod}
    ) outcome_count group by 1`;
  const counts = new Map(rows.map(({ outcome, total }) => [outcome, total]));
  const countOf = (outcome: ServiceOutcome) => counts.get(outcome) ?? 0;
  return Object.fromEntries(outcomes.map(outcome => [outcome, countOf(outcome)])) as Record<
    ServiceOutcome,
    number
  >;
}

/** Lists the newest services with this outcome, as keys of a list: the id is the conversation's. */
export async function listServices(
  { tx, hostId }: HostScope,
  outcome: ServiceOutcome,
  period: Period,
  { limit, after }: PageOf<TimeKey>,
): Promise<TimeKey[]> {
  const openedAt = sql`opened_at`;
  const ended: Fragment =
    outcome === 'open'
      ? isOpen
      : sql`outcome = ${outcome} and (ended or last_at <= now() - interval '1 day')`;
  return rowsOf<TimeKey>(tx, { isPlannedOnce: false })`
    select conversation_id as id, ${microsecondsOf(openedAt)} as at from services
    where host_id = ${hostId} and ${ended} and ${isWithin(openedAt, period)}
      ${isAfter(openedAt, sql`conversation_id`, after)}
    order by opened_at desc, conversation_id desc limit ${limit}`;
}

/** The seconds that a service waited for a staff member, with its key in a list. */
export interface Wait extends TimeKey {
  readonly seconds: number;
}

/**
 * Reads how long the newest of these services, at most `limit`, waited for a staff member after the first request for help that
 * was answered, the newest first. Services for which none came are left out.
 */
export async function readWaits({ tx, hostId }: HostScope, period: Period, limit: number): Promise<Wait[]> {
  return rowsOf<Wait>(tx, { isPlannedOnce: false })`
    select conversation_id as id, ${microsecondsOf(sql`opened_at`)} as at,
      extract(epoch from answer.created_at - help_asked_at)::float8 as seconds
    from (
      select conversation_id, opened_at, last_at from services
      where host_id = ${hostId} and outcome = 'human' and asked_help and ${isWithin(sql`opened_at`, period)}
      order by opened_at desc, conversation_id desc limit ${limit}
    ) service
    cross join lateral (
      select created_at, help_asked_at from messages
      where host_id = ${hostId} and messages.conversation_id = service.conversation_id
        and help_asked_at >= opened_at and created_at <= last_at
      order by seq limit 1
    ) answer
    order by opened_at desc, conversation_id desc`;
}
