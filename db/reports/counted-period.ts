import { type Fragment, sql } from '../rows-of.ts';

/** An exact period, in milliseconds since 1970. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** Whole days or months of UTC, which are read from counts, and the rest of the period before and after them. */
export interface SplitPeriod {
  /** Dates; the end is exclusive. Undefined if the period has no whole unit. */
  readonly whole: { readonly from: string; readonly until: string } | undefined;
  readonly parts: readonly Period[];
}

export function splitPeriod({ start, end }: Period, unit: 'day' | 'month'): SplitPeriod {
  const from = startOf(start, unit) === start ? start : nextOf(start, unit);
  const until = startOf(end, unit);
  if (from >= until) return { whole: undefined, parts: [{ start, end }] };
  const parts = [
    { start, end: from },
    { start: until, end },
  ];
  return {
    whole: { from: dateOf(from), until: dateOf(until) },
    parts: parts.filter(part => part.start < part.end),
  };
}

export function isInParts(column: Fragment, { parts }: SplitPeriod): Fragment {
  return parts.reduce((sum, part) => sql`${sum} or ${isWithin(column, part)}`, sql`false`);
}

export function isWithin(column: Fragment, { start, end }: Period): Fragment {
  return sql`(${column} >= ${isoOf(start)}::timestamptz and ${column} < ${isoOf(end)}::timestamptz)`;
}

function startOf(instant: number, unit: 'day' | 'month'): number {
  const at = new Date(instant);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), unit === 'day' ? at.getUTCDate() : 1);
}

function nextOf(instant: number, unit: 'day' | 'month'): number {
  const at = new Date(instant);
  const [month, day] = unit === 'day' ? [0, at.getUTCDate() + 1] : [1, 1];
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + month, day);
}

function dateOf(instant: number): string {
  return isoOf(instant).slice(0, 10);
}

function isoOf(instant: number): string {
  return new Date(instant).toISOString();
}
