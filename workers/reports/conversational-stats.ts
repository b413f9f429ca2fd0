import { listContracts } from '../../db/hosts/contracts.ts';
import { type DayCount, readCounts, readTicketCounts } from '../../db/reports/reports.ts';
import { readAttendanceStats, readTeamStats } from '../../db/reports/team.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { MAX_MEMBERS, MAX_STAFF_MESSAGES } from '../../queues/contract/operations/team-stats.ts';
import { contractOn } from '../domain/pricing.ts';
import { dateAt, monthsOf } from '../domain/time/period.ts';
import type { Handler } from '../runtime/job.ts';
import { isoOf, type ReportPeriod, readCountedPeriod, readHostPeriod, readReport } from './report-period.ts';

type Stats = DataOf<'conversationalStats'>[number];

interface Activity {
  readonly services: number;
  readonly messages: number;
  readonly tickets: number;
}

export const conversationalStats: Handler<'conversationalStats'> = job => readReport(job, readStats);

async function readStats(scope: HostScope, period: ReportPeriod): Promise<Stats> {
  const counted = await readCounts(scope, await readCountedPeriod(scope, period));
  const opened = await readTicketCounts(scope, {
    start: isoOf(period.start),
    end: isoOf(period.end),
    days: period.days.map(({ begins, span }) => ({ ...span, start: begins })),
  });
  const contract = contractOn(await listContracts(scope), dateAt(period.end, period.timeZone));
  const byDay = new Map(counted.days.map(day => [day.day, day]));
  const ticketsByDay = new Map(opened.days.map(({ day, opened: tickets }) => [day, tickets]));
  const days = period.days.map(({ date, begins }) => {
    const day = byDay.get(date);
    const messages = day ? day.byUser + day.byAssistant + day.byHuman : 0;
    return { date, begins, services: day?.services ?? 0, messages, tickets: ticketsByDay.get(date) ?? 0 };
  });
  const sum = (of: (day: DayCount) => number) => counted.days.reduce((total, day) => total + of(day), 0);
  const total = sumDays(days);
  return {
    total_contracted_services: contract?.services ?? 0,
    total_services: total.services,
    total_messages: total.messages,
    total_tickets: total.tickets,
    total_messages_sent_by_avatar: sum(day => day.byAssistant),
    total_messages_received_by_user: sum(day => day.byUser),
    total_solved_tickets: opened.solved,
    total_opened_tickets: opened.days.reduce((unsolved, day) => unsolved + day.unsolved, 0),
    total_services_after_hours: sum(day => day.servicesAfterHours),
    total_messages_after_hours: sum(day => day.messagesAfterHours),
    total_messages_responder_manager: sum(day => day.byHuman),
    services_by_channels: counted.platforms.map(({ platform, services }) => ({
      platform,
      total_services: String(services),
    })),
    history_months: monthsOf(days, period.timeZone).map(month => ({
      mês: isoOf(month.begins),
      ...activityOf(sumDays(month.days)),
    })),
    history_days: days.map(day => ({ dia: day.begins, ...activityOf(day) })),
  };
}

function sumDays(days: readonly Activity[]): Activity {
  const none = { services: 0, messages: 0, tickets: 0 };
  return days.reduce(
    (sum, { services, messages, tickets }) => ({
      services: sum.services + services,
      messages: sum.messages + messages,
      tickets: sum.tickets + tickets,
    }),
    none,
  );
}

function activityOf({ services, messages, tickets }: Activity) {
  return {
    total_conversations: String(services),
    total_messages: String(messages),
    total_tickets: String(tickets),
  };
}

export const getTeamStats: Handler<'getTeamStats'> = ({ body, read }) =>
  read(async scope => {
    const period = await readHostPeriod(scope, body);
    if (isFailure(period)) return period;
    const limits = { members: MAX_MEMBERS, messages: MAX_STAFF_MESSAGES };
    return { code: 200, data: await readTeamStats(scope, period, limits) };
  });

export const getAttendanceStats: Handler<'getAttendanceStats'> = ({ body, read }) =>
  read(async scope => {
    const period = await readHostPeriod(scope, body);
    if (isFailure(period)) return period;
    return { code: 200, data: await readAttendanceStats(scope, period, MAX_MEMBERS) };
  });
