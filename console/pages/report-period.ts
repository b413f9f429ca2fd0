/* The periods of the reports: days of the host, wherever this browser is. */

const DAY_MS = 86_400_000;

export const presets = [
  ['hoje', 'Hoje'],
  ['7', '7 dias'],
  ['30', '30 dias'],
  ['mes', 'Este mês'],
] as const;
export type Preset = (typeof presets)[number][0];

interface Period {
  readonly startDate: string;
  readonly endDate: string;
}

export interface ReportPeriods {
  readonly period: Period;
  /** It ends as long after its start as it is now after the start of the period, so that both compare. */
  readonly before: Period;
  /** `era 12 …` */
  readonly beforeText: string;
}

export const readPreset = (text: string | undefined): Preset =>
  presets.find(([preset]) => preset === text)?.[0] ?? '30';

export function findPeriods(preset: Preset, now: number, zone: string | undefined): ReportPeriods {
  const today = dayOf(now, zone);
  const start = {
    hoje: today,
    7: addDays(today, -6),
    30: addDays(today, -29),
    mes: `${today.slice(0, 8)}01`,
  }[preset];
  const length = { hoje: 1, 7: 7, 30: 30, mes: Number(addDays(`${today.slice(0, 8)}01`, -1).slice(8)) }[
    preset
  ];
  const sameMoment = now - length * DAY_MS;
  return {
    // The end is exclusive, so that today counts.
    period: { startDate: start, endDate: addDays(today, 1) },
    before: {
      startDate: addDays(start, -length),
      // A month may be longer than the one before.
      endDate: dayOf(sameMoment, zone) < start ? new Date(sameMoment).toISOString() : start,
    },
    beforeText: {
      hoje: 'ontem até esta hora',
      7: 'nos 7 dias antes',
      30: 'nos 30 dias antes',
      mes: 'no mês passado até este dia',
    }[preset],
  };
}

/** `start`: the first moment of the day. */
export const formatReportDay = (start: string, zone: string | undefined): string =>
  shortenDay(dayOf(Date.parse(start), zone));

/** `2026-03-01` as `01/03`. */
export const shortenDay = (day: string): string => `${day.slice(8, 10)}/${day.slice(5, 7)}`;

const dayOf = (moment: number, zone: string | undefined): string =>
  new Date(moment).toLocaleDateString('sv-SE', { timeZone: zone });

const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
