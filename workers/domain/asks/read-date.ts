import { findFigures } from '../../../text/figures/find-figures.ts';
import type { DateMeaning } from '../../../text/figures/read-date.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { DAY_MS } from '../time/instant.ts';
import { isFiller, type SaidValue } from './said-value.ts';
import { saidWordsOf } from './talk.ts';

/** Days from today, the longest first. */
const NAMED_DAYS: readonly (readonly [RegExp, number])[] = [
  [/\bdepois de amanha\b/, 2],
  [/\b(?:anteontem|antes de ontem)\b/, -2],
  [/\bamanha\b/, 1],
  [/\bontem\b/, -1],
  [/\b(?:hoje|hj)\b/, 0],
];
const WEEKDAYS: readonly RegExp[] = [
  /\bdomingo\b/,
  /\bsegunda(?:-feira| feira)?\b/,
  /\bterca(?:-feira| feira)?\b/,
  /\bquarta(?:-feira| feira)?\b/,
  /\bquinta(?:-feira| feira)?\b/,
  /\bsexta(?:-feira| feira)?\b/,
  /\bsabado\b/,
];
const WEEKDAY_WORDS = new Set(['feira', 'proxima', 'proximo', 'vem', 'nesta', 'neste', 'essa', 'esse']);
/** `12 ago` without anything between. */
const SHORT_MONTH = /\b(\d{1,2}) (jan|fev|mar|abr|mai|jun|jul|ago|set|out|nov|dez)\b/;
const NUMBERED_MONTH = /\bmes (\d{1,2})\b/;
const MONTHS = 'jan fev mar abr mai jun jul ago set out nov dez'.split(' ');

/**
 * Reads one date, as `2026-08-12`, or a month, as `2026-08`. What the person leaves out is taken so that the date is the nearest to
 * today: people speak of the bill of last month and of the exam of the next.
 */
export function readDate(text: string, today: number): SaidValue | undefined {
  const folded = foldInPlace(text).replace(/\b1[ºo] /, '1 ');
  const spaced = folded.replace(SHORT_MONTH, '$1 de $2');
  const dates = findFigures(spaced).figures.flatMap(({ meanings: [meaning], start, end }) =>
    meaning?.type === 'date' ? [{ meaning, start, end }] : [],
  );
  const [first, second] = dates;
  if (second) return undefined;
  if (first) {
    const value = dateOf(first.meaning, today);
    return value === undefined
      ? undefined
      : said(value, `${spaced.slice(0, first.start)} ${spaced.slice(first.end)}`);
  }
  const [numbered = '', month] = NUMBERED_MONTH.exec(folded) ?? [];
  if (month !== undefined) {
    const value = dateOf({ type: 'date', month: Number(month) }, today);
    return value === undefined ? undefined : said(value, folded.replace(numbered, ' '));
  }
  const short = MONTHS.indexOf(saidWordsOf(text).find(word => !isFiller(word)) ?? '');
  if (short >= 0) return said(dateOf({ type: 'date', month: short + 1 }, today) ?? '', '');
  return readNamedDay(folded, today);
}

function readNamedDay(folded: string, today: number): SaidValue | undefined {
  for (const [name, days] of NAMED_DAYS)
    if (name.test(folded)) return said(isoOf(today + days * DAY_MS), folded.replace(name, ' '));
  const weekday = WEEKDAYS.findIndex(name => name.test(folded));
  const name = WEEKDAYS[weekday];
  if (!name || WEEKDAYS.some((other, at) => at !== weekday && other.test(folded))) return undefined;
  const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7 || 7;
  return said(isoOf(today + ahead * DAY_MS), folded.replace(name, ' '));
}

function said(value: string, rest: string): SaidValue {
  return { value, isAll: saidWordsOf(rest).every(word => isFiller(word) || WEEKDAY_WORDS.has(word)) };
}

/** Undefined for a year alone, and for a day that the month does not have. */
function dateOf({ day, month, year }: DateMeaning, today: number): string | undefined {
  const now = new Date(today);
  const thisYear = now.getUTCFullYear();
  if (day === undefined) {
    if (month === undefined || month < 1 || month > 12) return undefined;
    const years = year === undefined ? around(thisYear) : [year];
    return nearest(
      years.map(each => Date.UTC(each, month - 1, 15)),
      today,
    )?.slice(0, '2026-08'.length);
  }
  const months = month === undefined ? around(now.getUTCMonth()) : [month - 1];
  const years = year === undefined && month !== undefined ? around(thisYear) : [year ?? thisYear];
  const days = years.flatMap(each =>
    months.flatMap(at => {
      const time = Date.UTC(each, at, day);
      return new Date(time).getUTCDate() === day ? [time] : [];
    }),
  );
  return nearest(days, today);
}

const around = (value: number) => [value, value + 1, value - 1];

function nearest(times: readonly number[], today: number): string | undefined {
  const [first] = times.toSorted((one, other) => Math.abs(one - today) - Math.abs(other - today));
  return first === undefined ? undefined : isoOf(first);
}

function isoOf(time: number): string {
  return new Date(time).toISOString().slice(0, '2026-08-12'.length);
}
