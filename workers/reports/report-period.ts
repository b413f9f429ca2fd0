import { type CountedPeriod, type DayStretch, findFirstDifferingDay } from '../../db/reports.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { type Failure, type FieldError, failure } from '../../queues/contract/failure.ts';
import { instantOf } from '../domain/instant.ts';
import { daysOf, isLongerThan, type LocalDay, type Stretch } from '../domain/period.ts';

export interface ReportPeriod extends Stretch {
  readonly timeZone: string;
  readonly days: readonly LocalDay[];
}

interface PeriodRequest {
  readonly startDate: string;
  readonly endDate: string;
}

const MAX_YEARS = 5;

export function periodOf({ startDate, endDate }: PeriodRequest, timeZone: string): ReportPeriod | Failure {
  const start = momentOf(startDate, timeZone);
  const end = momentOf(endDate, timeZone);
  const missing = { startDate: start, endDate: end };
  if (start === undefined || end === undefined) {
    const invalid = Object.entries(missing).filter(([, moment]) => moment === undefined);
    return refuseFields(
      ...invalid.map(([path]) => ({ path, message: 'must be a date or a date-time from 1970 to 9998' })),
    );
  }
  if (end <= start) return refuseFields({ path: 'endDate', message: 'must be after startDate' });
  if (isLongerThan({ start, end }, MAX_YEARS, timeZone))
    return refuseFields({ path: 'endDate', message: `must be at most ${MAX_YEARS} years after startDate` });
  return { start, end, timeZone, days: daysOf({ start, end }, timeZone) };
}

/**
 * Whole days are read from the daily counts where PostgreSQL has the same day boundaries; other days are counted from
 * their messages.
 */
export async function resolveCountedPeriod(scope: HostScope, { days }: ReportPeriod): Promise<CountedPeriod> {
  const whole = days.filter(({ isWhole }) => isWhole).map(stretchOf);
  const differs = await findFirstDifferingDay(scope, whole);
  const counted = whole.filter(({ day }) => differs === undefined || day < differs);
  const [first, last] = [counted[0]?.day, counted.at(-1)?.day];
  const isCounted = new Set(counted.map(({ day }) => day));
  return {
    whole: first && last ? { first, last } : undefined,
    parts: days.map(stretchOf).filter(({ day }) => !isCounted.has(day)),
  };
}

function stretchOf({ date, start, end }: LocalDay): DayStretch {
  return { day: date, start: isoOf(start), end: isoOf(end) };
}

export function isoOf(moment: number): string {
  return new Date(moment).toISOString();
}

function momentOf(text: string, timeZone: string): number | undefined {
  const instant = instantOf(text, timeZone);
  const year = instant?.getUTCFullYear() ?? 0;
  return instant && year >= 1970 && year <= 9998 ? instant.getTime() : undefined;
}

function refuseFields(...fields: FieldError[]): Failure {
  return failure('body-invalid', { fields });
}
