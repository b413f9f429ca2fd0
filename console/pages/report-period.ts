/* The periods of the reports: days of the host, wherever this browser is. */

const DAY_MS = 86_400_000;

export const presets = [
  ['hoje', 'Hoje'],
  ['7', '7 dias'],
  ['30', '30 dias'],
  ['mes', 'Este mês'],
  ['mes-passado', 'Mês passado'],
  ['datas', 'Duas datas'],
] as const;
export type Preset = (typeof presets)[number][0];

interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

export interface ReportPeriods {
  readonly period: Period;
  /** The period before, cut as far after its start as it is now after the start of this one, so that both compare. */
  readonly before: Period;
  /** For example `era 12 …`. */
  readonly beforeText: string;
}

export const readPreset = (text: string | undefined): Preset =>
  presets.find(([preset]) => preset === text)?.[0] ?? '30';

/** The first and last day that a person chose, both of the host. */
export interface ChosenDays {
  readonly first: string;
  readonly last: string;
}

/** Replaces invalid or future days by the last month. The earlier day is the first, however they were given. */
export function readDays(
  { de, ate }: { readonly de?: string; readonly ate?: string },
  now: number,
  zone: string | undefined,
): ChosenDays {
  const today = dayOf(now, zone);
  const given = [de, ate].map(day => (isDay(day) && day <= today ? day : undefined));
  const [first = addDays(today, -29), last = today] = given;
  return first <= last ? { first, last } : { first: last, last: first };
}

const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? '') &&
  Number.isFinite(Date.parse(text ?? '')) &&
  addDays(text ?? '', 0) === text;

export function findPeriods(
  preset: Preset,
  now: number,
  zone: string | undefined,
  days?: ChosenDays,
): ReportPeriods {
  const today = dayOf(now, zone);
  const { first, last } = preset === 'datas' && days ? days : presetDays(preset, today);
  const isMonth = preset === 'mes' || preset === 'mes-passado';
  const length = isMonth ? dayOfMonth(addDays(first, -1)) : countDays(first, last);
  const sameMoment = now - length * DAY_MS;
  return {
    // The end is exclusive, so that the last day counts.
    period: { startDate: first, endDate: addDays(last, 1) },
    before: {
      startDate: addDays(first, -length),
      // A month may be longer than the one before.
      endDate: last === today && dayOf(sameMoment, zone) < first ? new Date(sameMoment).toISOString() : first,
    },
    beforeText: {
      hoje: 'ontem até esta hora',
      7: 'nos 7 dias antes',
      30: 'nos 30 dias antes',
      mes: 'no mês passado até este dia',
      'mes-passado': 'no mês antes',
      datas: length === 1 ? 'no dia antes' : `nos ${length} dias antes`,
    }[preset],
  };
}

function presetDays(preset: Preset, today: string): ChosenDays {
  const month = `${today.slice(0, 8)}01`;
  const endOfLast = addDays(month, -1);
  if (preset === 'mes-passado') return { first: `${endOfLast.slice(0, 8)}01`, last: endOfLast };
  if (preset === 'mes') return { first: month, last: today };
  return { first: addDays(today, { hoje: 0, 7: -6, 30: -29, datas: -29 }[preset]), last: today };
}

/** `start`: the first moment of the day. */
export const formatReportDay = (start: string, zone: string | undefined): string =>
  shortenDay(dayOf(Date.parse(start), zone));

/** `2026-03-01` as `01/03`. */
export const shortenDay = (day: string): string => `${day.slice(8, 10)}/${day.slice(5, 7)}`;

const dayOfMonth = (day: string): number => Number(day.slice(8));

const countDays = (first: string, last: string): number =>
  Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;

const dayOf = (moment: number, zone: string | undefined): string =>
  new Date(moment).toLocaleDateString('sv-SE', { timeZone: zone });

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
