import { listContracts } from '../../db/hosts/contracts.ts';
import { readCounts } from '../../db/reports/reports.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { contractOn, costOf, decimalOf } from '../domain/pricing.ts';
import { monthsOf } from '../domain/time/period.ts';
import type { Handler } from '../runtime/job.ts';
import { isoOf, type ReportPeriod, readCountedPeriod, readReport } from './report-period.ts';

interface Cost {
  readonly services: number;
  readonly cents: bigint;
}

export const financialStats: Handler<'financialStats'> = job => readReport(job, readStats);

async function readStats(scope: HostScope, period: ReportPeriod): Promise<DataOf<'financialStats'>[number]> {
  const counted = await readCounts(scope, await readCountedPeriod(scope, period));
  const contracts = await listContracts(scope);
  const byDay = new Map(counted.days.map(({ day, services }) => [day, services]));
  const days = period.days.map(({ date, begins }) => {
    const services = byDay.get(date) ?? 0;
    return { date, begins, services, cents: costOf(services, contractOn(contracts, date)?.price ?? '0') };
  });
  return {
    history_months: monthsOf(days, period.timeZone).map(month => ({
      mês: isoOf(month.begins),
      ...costTextOf(sumCosts(month.days)),
    })),
    history_days: days.map(day => ({ dia: day.begins, ...costTextOf(day) })),
  };
}

function sumCosts(days: readonly Cost[]): Cost {
  const add = (sum: Cost, { services, cents }: Cost) => ({
    services: sum.services + services,
    cents: sum.cents + cents,
  });
  return days.reduce(add, { services: 0, cents: 0n });
}

function costTextOf({ services, cents }: Cost) {
  return { total_conversations: String(services), total_cost: decimalOf(cents) };
}
