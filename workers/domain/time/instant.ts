export const DAY_MS = 86_400_000;

/** ISO 8601, also as databases write it: a blank for the `T`, an offset of hours alone. */
const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * The instant of a date or date-time in the time zone: a date is local midnight, a time without an offset is local.
 * Undefined if it is invalid.
 */
export function instantOf(text: string, timeZone: string): Date | undefined {
  const [, date, time = '00:00', offset] = form.exec(text) ?? [];
  const wall = new Date(`${date}T${time}Z`);
  // JavaScript turns 30 February into 2 March.
  if (Number.isNaN(wall.getTime()) || wall.toISOString().slice(0, 10) !== date) return undefined;
  if (offset === undefined) return new Date(instantOfLocalTime(wall.getTime(), timeZone));
  const [, hours = 'Z', minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(offset) ?? [];
  const instant = new Date(`${date}T${time}${hours === 'Z' ? 'Z' : `${hours}:${minutes}`}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

/**
 * The first instant at which local clocks show `wall`, a local time in milliseconds as if in UTC. In a DST gap: the
 * instant that is as long after the start of the gap.
 */
export function instantOfLocalTime(wall: number, timeZone: string): number {
  const before = wall - offsetAt(wall - DAY_MS, timeZone);
  const after = wall - offsetAt(wall + DAY_MS, timeZone);
  const shows = (instant: number) => instant + offsetAt(instant, timeZone) === wall;
  return [before, after].toSorted((a, b) => a - b).find(shows) ?? before;
}

/** The local time in milliseconds, as if in UTC. */
export function localTimeAt(instant: number, timeZone: string): number {
  return instant + offsetAt(instant, timeZone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsetAt(instant: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const named = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(instant));
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] = named ?? [];
  return Number(`${sign}1`) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
}
