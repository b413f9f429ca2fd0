import { findHost } from '../../db/hosts/hosts.ts';
import {
  type CountedPeriod,
  type DaySpan,
  findFirstDifferingDay,
  hadConversations,
  useOneSnapshot,
} from '../../db/reports/reports.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { DATE_TIME_FORM, fieldError } from '../../platform/field-error.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import {
  type Failure,
  failure,
  fieldFailure,
  isFailure,
  type Outcome,
} from '../../queues/contract/failure.ts';
import { instantOf } from '../domain/time/instant.ts';
import { daysOf, exceedsYears, type LocalDay, type TimeSpan } from '../domain/time/period.ts';
import type { JobOf } from '../runtime/job.ts';

export interface ReportDay extends Pick<LocalDay, 'date' | 'isWhole'> {
  /** ISO, as in `span`. */
  readonly begins: string;
  readonly span: DaySpan;
}

export interface ReportPeriod extends TimeSpan {
  readonly timeZone: string;
  readonly days: readonly ReportDay[];
}

export interface PeriodRequest {
  readonly startDate: string;
  readonly endDate: string;
}

const MAX_YEARS = 5;

async function readPeriod(
  { startDate, endDate }: PeriodRequest,
  timeZone: string,
): Promise<ReportPeriod | Failure> {
  const start = instantIn(startDate, timeZone);
  const end = instantIn(endDate, timeZone);
  const missing = { startDate: start, endDate: end };
  if (start === undefined || end === undefined) {
    const invalid = Object.entries(missing).filter(([, instant]) => instant === undefined);
    const message = `must be ${DATE_TIME_FORM}, from 1970 to 9998`;
    const fields = invalid.map(([path]) => fieldError(path, 'date', message));
    return failure('body-invalid', { fields });
  }
  const values = ['startDate'];
  if (end <= start) return fieldFailure('endDate', 'after', { values });
  if (exceedsYears({ start, end }, MAX_YEARS, timeZone))
    return fieldFailure('endDate', 'max-years', { limit: MAX_YEARS, values });
  return { start, end, timeZone, days: await runInSlices(reportDaysOf({ start, end }, timeZone)) };
}

function* reportDaysOf(period: TimeSpan, timeZone: string): Generator<void, ReportDay[]> {
  const days: ReportDay[] = [];
  for (const { date, begins, start, end, isWhole } of yield* daysOf(period, timeZone)) {
    const starts = days.at(-1)?.span.end ?? isoOf(start);
    const span = { day: date, start: starts, end: isoOf(end) };
    days.push({ date, isWhole, begins: begins === start ? starts : isoOf(begins), span });
    yield;
  }
  return days;
}

/**
 * Whole days are read from the daily counts where PostgreSQL has the same day boundaries; other days are counted from
 * their messages.
 */
export async function readCountedPeriod(scope: HostScope, { days }: ReportPeriod): Promise<CountedPeriod> {
  const whole = days.filter(({ isWhole }) => isWhole).map(({ span }) => span);
  const differs = await findFirstDifferingDay(scope, whole);
  const counted = whole.filter(({ day }) => differs === undefined || day < differs);
  const [first, last] = [counted[0]?.day, counted.at(-1)?.day];
  const isCounted = new Set(counted.map(({ day }) => day));
  return {
    whole: first && last ? { first, last } : undefined,
    parts: days.map(({ span }) => span).filter(({ day }) => !isCounted.has(day)),
  };
}

export function isoOf(instant: number): string {
  return new Date(instant).toISOString();
}

function instantIn(text: string, timeZone: string): number | undefined {
  const instant = instantOf(text, timeZone);
  const year = instant?.getUTCFullYear() ?? 0;
  return instant && year >= 1970 && year <= 9998 ? instant.getTime() : undefined;
}

type ReportJob = JobOf<'conversationalStats' | 'financialStats'>;

export function readReport<T>(
  { body, read }: ReportJob,
  report: (scope: HostScope, period: ReportPeriod) => Promise<T>,
): Promise<Outcome<T[]>> {
  return read(async scope => {
    await useOneSnapshot(scope);
    const period = await readHostPeriod(scope, body);
    if (isFailure(period)) return period;
    if (!(await hadConversations(scope))) return failure('statistics-not-found');
    return { code: 200, data: [await report(scope, period)] };
  });
}

export async function readHostPeriod(
  scope: HostScope,
  request: PeriodRequest,
): Promise<ReportPeriod | Failure> {
  const host = await findHost(scope);
  return readPeriod(request, host?.timeZone ?? 'UTC');
}
