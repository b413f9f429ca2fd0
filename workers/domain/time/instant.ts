export const DAY_MS = 86_400_000;
/** Whoever writes 9999-12-31 means for ever, and west of Greenwich that day ends in a year of five digits. */
const [FIRST, LAST] = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'] as const;

/** ISO 8601, and as databases write it: a blank for the `T`, an offset of hours alone. */
const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * Returns the instant of a date or date-time in the time zone: a date is local midnight, a time without an offset is local.
 * One beyond the years of four digits is the first or the last of them. Undefined if it is invalid.
 */
export function instantOf(text: string, timeZone: string): Date | undefined {
  const [, date, time = '00:00', offset] = form.exec(text) ?? [];
  const wall = new Date(`${date}T${time}Z`);
  // JavaScript turns 30 February into 2 March.
  if (Number.isNaN(wall.getTime()) || wall.toISOString().slice(0, 10) !== date) return undefined;
  if (offset === undefined) return inYears(instantOfLocalTime(wall.getTime(), timeZone));
  const [, hours = 'Z', minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(offset) ?? [];
  const instant = new Date(`${date}T${time}${hours === 'Z' ? 'Z' : `${hours}:${minutes}`}`);
  return Number.isNaN(instant.getTime()) ? undefined : inYears(instant.getTime());
}

function inYears(instant: number): Date {
  return new Date(Math.min(Math.max(instant, Date.parse(FIRST)), Date.parse(LAST)));
}

/** Returns the date of the next day, for an end that means the whole day; every other text as it is. */
export function dayAfter(text: string): string {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? instantOf(text, 'UTC') : undefined;
  if (text === LAST.slice(0, 10)) return LAST;
  return day ? new Date(day.getTime() + DAY_MS).toISOString().slice(0, 10) : text;
}

const MONTHS = 'jan fev|feb mar abr|apr mai|may jun jul ago|aug set|sep out|oct nov dez|dec'.split(' ');
/** Dates as forms, spreadsheets, e-mails and programs write them, each with the meaning of its groups. */
const DATES: readonly (readonly [RegExp, string])[] = [
  [/^(\d{4})[-/](\d\d)[-/](\d\d)(?![\d/-])/, 'ymd'],
  [/^(\d\d)[-/.](\d\d)[-/.](\d{4})(?!\d)/, 'dmy'],
  [/^(?:[a-zç-]{3,13}, ?)?(\d{1,2})[ -](?:de )?([a-z]{3})[a-zç]{0,7}\.?(?: de|,)?[ -](\d{4})(?!\d)/i, 'dmy'],
  [/^(?:[a-z]{3},? )?([a-z]{3})[a-z]{0,6}\.? (\d{1,2}),? (\d{4})(?!\d)/i, 'mdy'],
];
/** The basic form of ISO 8601; without the seconds only behind a `T`, because a number may be milliseconds. */
const BASIC = /^(\d{4})(\d\d)(\d\d)(?:[T ]?(\d\d)(\d\d)(\d\d)|T(\d\d)(\d\d))(.{0,20})$/i;
const CLOCK =
  /^(?:T|,? ?(?:às |at )?)(\d{1,2})(?::|h)(\d\d)(?::(\d\d(?:\.\d{1,9})?))?h?(?: ?([ap])\.?m\.?)?(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?|(?:UTC|GMT)[+-]\d\d:?\d\d))?$/i;

/**
 * Reads a time as people and programs write it: 28/11/2026 14:30 (day before month), Nov 28, 2026 2:30 PM, Sat, 28 Nov 2026
 * 14:30:00 GMT, and ISO 8601 in both forms, with UTC or the name of a zone behind it. Undefined if it is none.
 */
export function instantOfWritten(written: string, timeZone: string): Date | undefined {
  const text = written
    .trim()
    .replace(/\[[\w/+-]{1,40}\]$/, '')
    .replace(/ \([^()]{1,60}\)$/, '')
    .replace(
      BASIC,
      (_all, year, month, day, hour, minute, second, hourAlone, minuteAlone, rest) =>
        `${year}-${month}-${day}T${hour ?? hourAlone}:${minute ?? minuteAlone}:${second ?? '00'}${rest}`,
    )
    .replace(/(:\d\d),(?=\d)/, '$1.');
  for (const [form, order] of DATES) {
    const [date = '', ...groups] = form.exec(text) ?? [];
    if (date === '') continue;
    const of = (name: string) => groups[order.indexOf(name)] ?? '';
    const month = /^\d/.test(of('m')) ? of('m') : monthOf(of('m'));
    const clock = isoClockOf(text.slice(date.length));
    if (month === undefined || clock === undefined) continue;
    return instantOf(`${of('y')}-${month}-${of('d').padStart(2, '0')}${clock}`, timeZone);
  }
  return undefined;
}

function monthOf(name: string): string | undefined {
  const at = MONTHS.findIndex(names => names.split('|').includes(name.toLowerCase()));
  return at < 0 ? undefined : String(at + 1).padStart(2, '0');
}

function isoClockOf(text: string): string | undefined {
  if (text.trim() === '') return '';
  const [, hours, minutes, seconds = '00', half = '', zone = ''] = CLOCK.exec(text) ?? [];
  if (hours === undefined) return undefined;
  const isTwelve = half !== '';
  if (isTwelve && (Number(hours) < 1 || Number(hours) > 12)) return undefined;
  const hour = isTwelve ? (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hours);
  const offset = zone.replace(/^(?:UTC|GMT)(?=.)/i, '').replace(/^(?:UTC|GMT)$/i, 'Z');
  return `T${String(hour).padStart(2, '0')}:${minutes}:${seconds}${offset}`;
}

/**
 * Returns the first instant at which local clocks show `wall`, a local time in milliseconds as if in UTC. In a DST gap, it is
 * the instant that is as long after the start of the gap.
 */
export function instantOfLocalTime(wall: number, timeZone: string): number {
  const before = wall - offsetAt(wall - DAY_MS, timeZone);
  const after = wall - offsetAt(wall + DAY_MS, timeZone);
  const shows = (instant: number) => instant + offsetAt(instant, timeZone) === wall;
  return [before, after].toSorted((a, b) => a - b).find(shows) ?? before;
}

/** Returns the local time in milliseconds, as if in UTC. */
export function localTimeAt(instant: number, timeZone: string): number {
  return instant + offsetAt(instant, timeZone);
}

const MINUTE_MS = 60_000;
/** Since then clocks of all zones have been changed on a minute. */
const ON_MINUTES_SINCE = Date.UTC(1980, 0);

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** The last minute whose offset was read, and that offset: a turn asks three times for the minute of its question. */
  minute: number;
  offset: number;
}

const zones = new Map<string, Zone>();

function offsetAt(instant: number, timeZone: string): number {
  const zone = zones.get(timeZone) ?? {
    format: new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }),
    minute: Number.NaN,
    offset: 0,
  };
  zones.set(timeZone, zone);
  const minute = instant < ON_MINUTES_SINCE ? Number.NaN : Math.floor(instant / MINUTE_MS);
  if (zone.minute !== minute) Object.assign(zone, { minute, offset: readOffset(zone.format, instant) });
  return zone.offset;
}

function readOffset(format: Intl.DateTimeFormat, instant: number): number {
  const named = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(instant));
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] = named ?? [];
  return Number(`${sign}1`) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
}
