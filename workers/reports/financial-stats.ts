import { listContracts } from '../../db/hosts/contracts.ts';
import { type GroupedSpend, readSpend, type SpendGroup, type SpendSum } from '../../db/hosts/spend.ts';
import { readCounts } from '../../db/reports/reports.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { contractOn, costOf, decimalOf } from '../domain/pricing.ts';
import { monthsOf } from '../domain/time/period.ts';
import type { Handler } from '../runtime/job.ts';
import { isoOf, type ReportPeriod, readCountedPeriod, readHostPeriod, readReport } from './report-period.ts';

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

type Purpose = DataOf<'getSpend'>['purposes'][number]['purpose'];

const NOTHING: SpendSum = {
  calls: 0,
  tokens: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  cost: '0',
  estimatedCost: '0',
};

/** `currency` is the prices' own; undefined if none is named. */
export const makeGetSpend =
  (currency: string | undefined): Handler<'getSpend'> =>
  job =>
    job.read(async scope => {
      const period = await readHostPeriod(scope, job.body);
      if (isFailure(period)) return period;
      const dates = period.days.map(({ date }) => date);
      const spend = await readSpend(scope, { first: dates[0] ?? '', last: dates.at(-1) ?? '' });
      const byDay = new Map(groupsIn(spend, 'day').map(({ name, ...sum }) => [name, sum]));
      const [{ name: _name, ...total } = { name: '', ...NOTHING }] = groupsIn(spend, 'total');
      return {
        code: 200,
        data: {
          ...total,
          currency: currency ?? null,
          days: dates.map(day => ({ day, ...(byDay.get(day) ?? NOTHING) })),
          models: groupsIn(spend, 'model').map(({ name: model, ...sum }) => ({ model, ...sum })),
          avatars: groupsIn(spend, 'avatar').map(({ name: avatarId, ...sum }) => ({ avatarId, ...sum })),
          purposes: groupsIn(spend, 'purpose').map(({ name, ...sum }) => ({
            // The database has only the purposes that spenders name.
            purpose: name as Purpose,
            ...sum,
          })),
        },
      };
    });

function groupsIn(spend: readonly GroupedSpend[], wanted: SpendGroup) {
  const found = spend.filter(({ group }) => group === wanted);
  return found.map(({ group: _group, name, ...sum }) => ({ name: name ?? '', ...sum }));
}
