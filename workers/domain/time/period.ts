import { LRUCache } from 'lru-cache';
import { DAY_MS, instantOfLocalTime, localTimeAt } from './instant.ts';

/** A half-open interval in milliseconds. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

/** The part of a period within one local day. */
export interface LocalDay extends TimeSpan {
  /** 2026-03-02 */
  readonly date: string;
  /** The start of the day, which may be before the period. */
  readonly begins: number;
  readonly isWhole: boolean;
}

export interface LocalMonth<Day> {
  /** 2026-03 */
  readonly month: string;
  readonly begins: number;
  readonly days: readonly Day[];
}

/** Yields all local days of the period; the first and last may be partial. Five years of a new time zone take a while. */
export function* daysOf({ start, end }: TimeSpan, timeZone: string): Generator<void, LocalDay[]> {
  const from = dayBefore(dateAt(start, timeZone));
  const days: LocalDay[] = [];
  for (let date = from, begins = startOfDay(date, timeZone); begins < end; ) {
    const next = dayAfter(date);
    const ends = startOfDay(next, timeZone);
    // A zone that crosses the date line skips a day.
    if (ends > start && ends > begins) {
      const isWhole = begins >= start && ends <= end;
      days.push({ date, begins, isWhole, start: Math.max(begins, start), end: Math.min(ends, end) });
    }
    date = next;
    begins = ends;
    yield;
  }
  return days;
}

export function monthsOf<Day extends Pick<LocalDay, 'date'>>(
  days: readonly Day[],
  timeZone: string,
): LocalMonth<Day>[] {
  const months = new Map<string, Day[]>();
  for (const day of days) {
    const month = day.date.slice(0, 7);
    const known = months.get(month);
    if (known) known.push(day);
    else months.set(month, [day]);
  }
  return [...months].map(([month, own]) => ({
    month,
    begins: startOfDay(`${month}-01`, timeZone),
    days: own,
  }));
}

export function dateAt(instant: number, timeZone: string): string {
  return dateOfWall(localTimeAt(instant, timeZone));
}

/** Whether the period exceeds this many calendar years in the time zone. */
export function exceedsYears({ start, end }: TimeSpan, years: number, timeZone: string): boolean {
  const limit = new Date(localTimeAt(start, timeZone));
  limit.setUTCFullYear(limit.getUTCFullYear() + years);
  return localTimeAt(end, timeZone) > limit.getTime();
}

const years = new LRUCache<string, number[]>({ max: 200 });

/** Returns midnight, or the end of a DST gap over it. */
function startOfDay(date: string, timeZone: string): number {
  const wall = Date.parse(`${date}T00:00Z`);
  const year = Date.UTC(Number(date.slice(0, 4)), 0, 1);
  const key = `${timeZone} ${year}`;
  let known = years.get(key);
  if (!known) years.set(key, (known = []));
  return (known[(wall - year) / DAY_MS] ??= instantOfLocalTime(wall, timeZone));
}

function dayAfter(date: string): string {
  return dateOfWall(Date.parse(`${date}T00:00Z`) + DAY_MS);
}

function dayBefore(date: string): string {
  return dateOfWall(Date.parse(`${date}T00:00Z`) - DAY_MS);
}

function dateOfWall(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10);
}
