import { rowsOf, sql } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import type { DaySpan } from './reports.ts';

export interface TicketCounts {
  /** Tickets opened in the period, by local day. */
  readonly days: readonly { readonly day: string; readonly opened: number; readonly unsolved: number }[];
  readonly solved: number;
}

export interface TicketPeriod {
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
