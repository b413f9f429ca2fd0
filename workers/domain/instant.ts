const form = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * The moment that a date or a date-time means to people in that time zone: a date is its local midnight, a time
 * without an offset a local time. Undefined where there is no such moment.
 */
export function instantOf(text: string, timeZone: string): Date | undefined {
  const [, date, time = '00:00', offset] = form.exec(text) ?? [];
  const wall = new Date(`${date}T${time}Z`);
  // JavaScript takes 30 February for 2 March.
  if (Number.isNaN(wall.getTime()) || wall.toISOString().slice(0, 10) !== date) return undefined;
  if (offset === undefined) return fromWall(wall, timeZone);
  const given = new Date(`${date}T${time}${offset.replace(/^(.\d\d)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(given.getTime()) ? undefined : given;
}

/** Asked twice: around a change of clocks the offset at the first guess may be the other one. */
function fromWall(wall: Date, timeZone: string): Date {
  const guess = new Date(wall.getTime() - offsetAt(wall, timeZone));
  return new Date(wall.getTime() - offsetAt(guess, timeZone));
}

function offsetAt(instant: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(
    instant,
  );
  const named = parts.find(part => part.type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(named) ?? [];
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
