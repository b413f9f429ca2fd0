import { type Fragment, rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';

/** A local day, or a part of one, with its start and end (ISO). */
export interface DaySpan {
  /** 2026-03-02 */
  readonly day: string;
  readonly start: string;
  readonly end: string;
}

/** The period of a report: whole local days by date, and parts of days by start and end. */
export interface CountedPeriod {
  readonly whole: { readonly first: string; readonly last: string } | undefined;
  readonly parts: readonly DaySpan[];
}

export interface DayCount {
  /** 2026-03-02, a local day of the host. */
  readonly day: string;
  readonly services: number;
  readonly servicesAfterHours: number;
  readonly byUser: number;
  readonly byAssistant: number;
  readonly byHuman: number;
  readonly messagesAfterHours: number;
}

export interface PlatformCount {
  readonly platform: string;
  readonly services: number;
}

export interface Counts {
  /** Days without counts are left out. */
  readonly days: readonly DayCount[];
  readonly platforms: readonly PlatformCount[];
}

/** Must be the first statement of its transaction: all reads then see one snapshot. */
export async function useOneSnapshot({ tx }: HostScope): Promise<void> {
  await rowsOf(tx)`set transaction isolation level repeatable read`;
}

export async function hadConversations({ tx, hostId }: HostScope): Promise<boolean> {
  const [had] = await rowsOf<{ ever: boolean }>(tx)`
    select exists (select from conversations where host_id = ${hostId})
      or exists (select from report_days where host_id = ${hostId}) as ever`;
  return had?.ever ?? false;
}

/**
 * Finds the first of these days that starts or ends at another time in PostgreSQL: its time zone data may differ from ours, and
 * its daily counts then cover another day.
 */
export async function findFirstDifferingDay(
  { tx, hostId }: HostScope,
  days: readonly DaySpan[],
): Promise<string | undefined> {
  const [differs] = await rowsOf<{ day: string }>(tx)`
    select day::text from hosts, ${toSpanTable(days)} span (day, starts, ends)
    where hosts.id = ${hostId} and (
      local_day(starts, time_zone) <> day or local_day(ends - interval '1 microsecond', time_zone) <> day
      or local_day(starts - interval '1 microsecond', time_zone) >= day or local_day(ends, time_zone) <= day)
    order by 1 limit 1`;
  return differs?.day;
}

function toSpanTable(days: readonly DaySpan[]): Fragment {
  return sql`unnest(${days.map(({ day }) => day)}::date[], ${days.map(({ start }) => start)}::timestamptz[],
    ${days.map(({ end }) => end)}::timestamptz[])`;
}

/** Counts services and messages: whole days from the daily counts, parts of days from the messages. */
export async function readCounts(scope: HostScope, period: CountedPeriod): Promise<Counts> {
  const sum = (what: Fragment) => sql`coalesce(sum(${what}), 0)::float8`;
  const totalOf = (kind: string) => sql`coalesce(sum(total) filter (where kind = ${kind}), 0)::float8`;
  const counted = await rowsOf<DayCount & PlatformCount & { day: string | null }>(scope.tx)`
    with host as (select time_zone, open_minutes from hosts where id = ${scope.hostId}),
    day_count as (${countWholeDays(scope, period)} union all ${countDayParts(scope, period)})
    select day::text, platform, ${totalOf('service')} as services,
      ${sum(sql`after_hours * (kind = 'service')::integer`)} as "servicesAfterHours",
      ${totalOf('user')} as "byUser", ${totalOf('assistant')} as "byAssistant", ${totalOf('human')} as "byHuman",
      ${sum(sql`after_hours * (kind <> 'service')::integer`)} as "messagesAfterHours"
    from day_count
    group by grouping sets ((day), (platform))`;
  return {
    days: counted.filter(({ day }) => day !== null),
    platforms: counted
      .filter(({ day, services }) => day === null && services > 0)
      .toSorted((a, b) => b.services - a.services || (a.platform < b.platform ? -1 : 1)),
  };
}

/** Daily counts and deltas are read in one statement, so that a delta that is being aggregated is counted once. */
function countWholeDays({ hostId }: HostScope, { whole }: CountedPeriod): Fragment {
  const isMeant = (day: Fragment) =>
    sql`${day} between ${whole?.first ?? null}::date and ${whole?.last ?? null}`;
  return sql`
    select day, kind, platform, total, after_hours from report_days
    where host_id = ${hostId} and ${isMeant(sql`day`)}
    union all
    select local_day(at, time_zone), kind, platform, amount,
      amount * is_after_hours(at, time_zone, open_minutes)::integer
    from report_deltas, host
    where host_id = ${hostId} and ${isMeant(sql`local_day(at, time_zone)`)}`;
}

function countDayParts({ hostId }: HostScope, { parts }: CountedPeriod): Fragment {
  const messages = sql`
    from ${toSpanTable(parts)} part (day, starts, ends)
    cross join lateral (
      select * from messages
      where messages.host_id = ${hostId} and messages.created_at >= starts and messages.created_at < ends
        and not messages.rehearsal
      -- Keeps the planner to the index: it does not know how short the parts are.
      offset 0
    ) messages`;
  const count = sql`count(*), count(*) filter (where is_after_hours(messages.created_at, time_zone, open_minutes))`;
  return sql`
    select part.day, author, '', ${count} ${messages} cross join host
    where author <> 'system' group by 1, 2
    union all
    select part.day, 'service', report_platform(platform), ${count} ${messages}
    join conversations on conversations.host_id = ${hostId} and conversations.id = conversation_id cross join host
    where opens_service group by 1, 3`;
}

interface TicketCounts {
  /** Tickets opened in the period, by local day. */
  readonly days: readonly { readonly day: string; readonly opened: number; readonly unsolved: number }[];
  readonly solved: number;
}

interface TicketPeriod {
  /** ISO, like the end. */
  readonly start: string;
  readonly end: string;
  /** Its days, each with its start. */
  readonly days: readonly DaySpan[];
}

export async function readTicketCounts(
  { tx, hostId }: HostScope,
  { start, end, days }: TicketPeriod,
): Promise<TicketCounts> {
  const begins = sql`${days.map(day => day.start)}::timestamptz[]`;
  const opened = await rowsOf<{ nth: number; opened: number; unsolved: number }>(tx)`
    select width_bucket(opened_at, ${begins}) as nth, count(*)::float8 as opened,
      (count(*) filter (where solved_at is null or solved_at >= ${end}::timestamptz))::float8 as unsolved
    from tickets
    where host_id = ${hostId} and opened_at >= ${start}::timestamptz and opened_at < ${end}::timestamptz
    group by 1`;
  const [solved] = await rowsOf<{ count: number }>(tx)`
    select count(*)::float8 from tickets
    where host_id = ${hostId} and solved_at >= ${start}::timestamptz and solved_at < ${end}::timestamptz`;
  return {
    days: opened.map(({ nth, ...counts }) => ({ day: days[nth - 1]?.day ?? '', ...counts })),
    solved: solved?.count ?? 0,
  };
}
