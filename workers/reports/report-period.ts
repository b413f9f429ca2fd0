import type { CountedPeriod } from '../../db/reports.ts';
import { type FieldError, failure, type Failure } from '../../queues/failure.ts';
import { instantOf } from '../domain/instant.ts';
import { daysOf, isLongerThan, type LocalDay, type Stretch } from '../domain/period.ts';

export interface ReportPeriod extends Stretch {
  readonly timeZone: string;
  readonly days: readonly LocalDay[];
}

interface Asked {
  readonly startDate: string;
  readonly endDate: string;
}

const MOST_YEARS = 5;

export function periodOf({ startDate, endDate }: Asked, timeZone: string): ReportPeriod | Failure {
  const start = momentOf(startDate, timeZone);
  const end = momentOf(endDate, timeZone);
  const missing = { startDate: start, endDate: end };
  if (start === undefined || end === undefined) {
    const wrong = Object.entries(missing).filter(([, moment]) => moment === undefined);
    return refused(
      ...wrong.map(([path]) => ({ path, message: 'must be a date or a date-time from 1970 to 9998' })),
    );
  }
  if (end <= start) return refused({ path: 'endDate', message: 'must be after startDate' });
  if (isLongerThan({ start, end }, MOST_YEARS, timeZone))
    return refused({ path: 'endDate', message: `must be at most ${MOST_YEARS} years after startDate` });
  return { start, end, timeZone, days: daysOf({ start, end }, timeZone) };
}

/** Whole days are counted already; of the others every message is looked at. */
export function countedPeriodOf({ days }: ReportPeriod): CountedPeriod {
  const whole = days.filter(({ isWhole }) => isWhole);
  const first = whole[0]?.date;
  const last = whole.at(-1)?.date;
  return {
    whole: first && last ? { first, last } : undefined,
    parts: days
      .filter(({ isWhole }) => !isWhole)
      .map(({ start, end }) => ({ start: isoOf(start), end: isoOf(end) })),
  };
}

export function isoOf(moment: number): string {
  return new Date(moment).toISOString();
}

function momentOf(text: string, timeZone: string): number | undefined {
  const instant = instantOf(text, timeZone);
  const year = instant?.getUTCFullYear() ?? 0;
  return instant && year >= 1970 && year <= 9998 ? instant.getTime() : undefined;
}

function refused(...fields: FieldError[]): Failure {
  return failure('body-invalid', { fields });
}
