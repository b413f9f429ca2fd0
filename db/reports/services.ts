import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Db } from '../connection.ts';
import { isAfter, microsecondsOf, type PageOf, type TimeKey } from '../pages.ts';
import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { isInParts, isWithin, type Period, splitPeriod } from './counted-period.ts';

/*
 * How the services of a host ended. Each message, closing and request for help notes its conversation
 * (`service_changes`); folding counts the services of these conversations anew. A report folds those of its host first, as
 * far as it may wait for them. What nobody closed is open until a day has passed without a message.
 */

export const outcomes = ['assistant', 'human', 'abandoned', 'reopened', 'open'] as const;
export type ServiceOutcome = (typeof outcomes)[number];

const FOLD_BATCH_SIZE = 250;
const isOpen = sql`(not ended and last_at > now() - interval '1 day')`;

/** Folds a batch of what is noted. `full`: there may be more. `busy`: another transaction folds. */
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

/** The hosts that have changes to fold. Works as the owner. */
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

/** The newest services with this outcome, as the keys of a list: the id is that of the conversation. */
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

/**
 * The median of the seconds that the newest of these services, at most `limit`, waited for a staff member after the last
 * request for help; null where none did. Only the last request is stored, so a conversation counts once.
 */
export async function findMedianWait(
  { tx, hostId }: HostScope,
  period: Period,
  limit: number,
): Promise<number | null> {
  const [row] = await rowsOf<{ seconds: number | null }>(tx, { isPlannedOnce: false })`
    select percentile_cont(0.5) within group (order by extract(epoch from answer.at - help_asked_at))::float8 as seconds
    from (
      select conversation_id, help_asked_at from services
      join conversations on conversations.host_id = services.host_id and conversations.id = conversation_id
      where services.host_id = ${hostId} and outcome = 'human' and asked_help and ${isWithin(sql`opened_at`, period)}
      order by opened_at desc, conversation_id desc limit ${limit}
    ) request
    cross join lateral (
      select min(created_at) as at from messages
      where host_id = ${hostId} and messages.conversation_id = request.conversation_id and author = 'human'
        and created_at >= help_asked_at
    ) answer`;
  return row?.seconds ?? null;
}

type TeamMember = DataOf<'getTeamStats'>[number];

/**
 * What each staff member did, by the name under which they wrote. Messages between two that are not of the end user are one run: who ends it
 * with an answer took the time since the first of them. Of requests for help only the last of a conversation is stored.
 */
export async function readTeamStats(
  { tx, hostId }: HostScope,
  period: Period,
  limit: number,
): Promise<TeamMember[]> {
  const inPeriod = isWithin(sql`created_at`, period);
  return rowsOf<TeamMember>(tx, { isPlannedOnce: false })`
    with message as (
      select conversation_id, seq, author, coalesce(name, '') as name, created_at, count(*) filter (where author <> 'user')
        over (partition by conversation_id order by seq rows between unbounded preceding and 1 preceding) as run
      from messages where host_id = ${hostId} and not rehearsal and ${inPeriod} and conversation_id in (
        select conversation_id from messages where host_id = ${hostId} and not rehearsal and author = 'human' and ${inPeriod})
    ), run as (
      select conversation_id, max(name) filter (where author = 'human') as name,
        extract(epoch from min(created_at) filter (where author = 'human') - min(created_at) filter (where author = 'user')) as seconds
      from message group by conversation_id, run having bool_or(author = 'human')
    ), first_answer as (
      select distinct on (conversation_id) conversation_id, name, extract(epoch from message.created_at - help_asked_at) as seconds
      from message join conversations on conversations.host_id = ${hostId} and conversations.id = conversation_id
      where author = 'human' and message.created_at >= help_asked_at order by conversation_id, seq
    )
    select member.name, conversations, messages,
      (select percentile_cont(0.5) within group (order by seconds)::float8 from first_answer where name = member.name)
        as "secondsUntilFirstAnswer",
      (select percentile_cont(0.5) within group (order by seconds)::float8 from run where name = member.name) as "secondsUntilAnswer"
    from (
      select name, count(distinct conversation_id)::float8 as conversations, count(*)::float8 as messages
      from message where author = 'human' group by name
    ) member
    order by conversations desc, member.name limit ${limit}`;
}
