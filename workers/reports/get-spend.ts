import { type GroupedSpend, readSpend, type SpendGroup, type SpendSum } from '../../db/hosts/spend.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Handler } from '../runtime/job.ts';
import { readHostPeriod } from './report-period.ts';

type Purpose = DataOf<'getSpend'>['purposes'][number]['purpose'];

const NOTHING = sumOf({
  calls: 0,
  tokens: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  cost: '0',
  estimatedCost: '0',
});

/** `currency`: of the prices; undefined where none is named. */
export const makeGetSpend =
  (currency: string | undefined): Handler<'getSpend'> =>
  job =>
    job.read(async scope => {
      const period = await readHostPeriod(scope, job.body);
      if (isFailure(period)) return period;
      const dates = period.days.map(({ date }) => date);
      const spend = await readSpend(scope, { first: dates[0] ?? '', last: dates.at(-1) ?? '' });
      const byDay = new Map(groupsIn(spend, 'day').map(({ name, ...sum }) => [name, sum]));
      const total = spend.find(({ group }) => group === 'total');
      return {
        code: 200,
        data: {
          ...(total ? sumOf(total) : NOTHING),
          currency: currency ?? null,
          days: dates.map(day => ({ day, ...(byDay.get(day) ?? NOTHING) })),
          models: groupsIn(spend, 'model').map(({ name: model, ...sum }) => ({ model, ...sum })),
          avatars: groupsIn(spend, 'avatar').map(({ name: avatarId, ...sum }) => ({ avatarId, ...sum })),
          purposes: groupsIn(spend, 'purpose').map(({ name, ...sum }) => ({
            // Spenders name no other.
            purpose: name as Purpose,
            ...sum,
          })),
        },
      };
    });

function groupsIn(spend: readonly GroupedSpend[], wanted: SpendGroup) {
  const found = spend.filter(({ group }) => group === wanted);
  return found.map(({ name, ...sum }) => ({ name: name ?? '', ...sumOf(sum) }));
}

function sumOf({ calls, tokens, inputTokens, cachedTokens, outputTokens, cost, estimatedCost }: SpendSum) {
  const kinds = { input_tokens: inputTokens, cached_tokens: cachedTokens, output_tokens: outputTokens };
  return { calls, tokens, ...kinds, cost, estimatedCost };
}
