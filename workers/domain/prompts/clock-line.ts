import { DAY_MS, localTimeAt } from '../time/instant.ts';

/** ISO weekdays, 1 is Monday; local times. An end that is not after the beginning is on the next day. */
export interface OpeningHours {
  readonly days: readonly number[];
  readonly from: string;
  readonly to: string;
}

export interface HostClock {
  /** An instant, in milliseconds. */
  readonly now: number;
  readonly timeZone: string;
  /** If empty, the host does not say when it is open. */
  readonly businessHours: readonly OpeningHours[];
}

/** Local times in milliseconds, as if in UTC. */
interface Opening {
  readonly from: number;
  readonly to: number;
}

const MINUTE_MS = 60_000;
const WEEKDAYS = [
  'domingo',
  'segunda-feira',
  'terça-feira',
  'quarta-feira',
  'quinta-feira',
  'sexta-feira',
  'sábado',
];
/** Openings that follow each other without a gap for this long never close. */
const AHEAD_DAYS = 8;

/** Writes the host's clock on one line: day, hour and zone, whether it is open, and the same for tomorrow. */
export function clockLineOf({ now, timeZone, businessHours }: HostClock): string {
  const local = localTimeAt(now, timeZone);
  const tomorrow = nameDay(local + DAY_MS);
  const day = `Agora: ${nameDay(local)}, ${timeOf(local)} (${timeZone}).`;
  if (businessHours.length === 0) return `${day} Amanhã: ${tomorrow}.`;
  const hours = hoursOf(local + DAY_MS, businessHours);
  return `${day} ${describeOpening(local, businessHours)} Amanhã: ${tomorrow}, ${hours}.`;
}

/** One day of the clock. An hour after midnight that ends an opening also belongs to the day on which it begins. */
export interface ClockFact {
  readonly daysAhead: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly text: string;
  /** Set if the line does not say it: an answer that names the day, such as yesterday, may have counted it. */
  readonly isCounted?: boolean;
}

/** Days from today that have names, but no place in the line. */
const COUNTED_DAYS = [-2, -1, 2];

/** Returns the content of `clockLineOf` day by day, today's hours, and the other days that have names. */
export function clockFactsOf({ now, timeZone, businessHours }: HostClock): ClockFact[] {
  const local = localTimeAt(now, timeZone);
  const factOf = (time: number, text: string): ClockFact => ({
    daysAhead: (startOfDay(time) - startOfDay(local)) / DAY_MS,
    weekday: new Date(time).getUTCDay(),
    text,
  });
  const days = [local, local + DAY_MS].map(day =>
    factOf(day, `${nameDay(day)}, ${hoursOf(day, businessHours)}`),
  );
  const openings = listOpenings(local, businessHours);
  const present = openings.find(({ from, to }) => from <= local && local < to);
  const next = openings.find(({ from }) => from > local);
  const counted = COUNTED_DAYS.map(ahead => local + ahead * DAY_MS).map(
    (day): ClockFact => ({
      ...factOf(day, `${nameDay(day)}, ${hoursOf(day, businessHours)}`),
      isCounted: true,
    }),
  );
  const facts = [factOf(local, timeOf(local)), ...days, ...counted];
  if (present) {
    const end = nameEnd(present.to, local);
    facts.push(factOf(present.to - 1, end), factOf(local, end.slice(-'24:00'.length)));
  } else if (next) facts.push(factOf(next.from, nameTime(next.from, local)));
  return facts;
}

/** Returns the hours of the openings that begin on this day. */
function hoursOf(local: number, hours: readonly OpeningHours[]): string {
  const weekday = weekdayOf(local);
  const own = hours
    .filter(({ days }) => days.includes(weekday))
    .toSorted((a, b) => a.from.localeCompare(b.from));
  if (own.length === 0) return 'fechado';
  return `aberto ${own.map(({ from, to }) => `das ${from} às ${to}`).join(' e ')}`;
}

function describeOpening(local: number, hours: readonly OpeningHours[]): string {
  const openings = listOpenings(local, hours);
  const present = openings.find(({ from, to }) => from <= local && local < to);
  if (present) {
    if (present.to - local > (AHEAD_DAYS - 1) * DAY_MS) return 'Atendimento: aberto a qualquer hora.';
    return `Atendimento: aberto agora, até ${nameEnd(present.to, local)}.`;
  }
  const next = openings.find(({ from }) => from > local);
  return `Atendimento: fechado agora${next ? `; abre ${nameTime(next.from, local)}` : ''}.`;
}

/** Lists openings from yesterday on, in order; those that meet or overlap are one. */
function listOpenings(local: number, hours: readonly OpeningHours[]): Opening[] {
  const midnight = startOfDay(local);
  const openings: Opening[] = [];
  for (let day = -1; day <= AHEAD_DAYS; day += 1) {
    const begins = midnight + day * DAY_MS;
    const weekday = weekdayOf(begins);
    for (const { days, from, to } of hours) {
      if (!days.includes(weekday)) continue;
      const [start, end] = [minutesOf(from) * MINUTE_MS, minutesOf(to) * MINUTE_MS];
      openings.push({ from: begins + start, to: begins + end + (end > start ? 0 : DAY_MS) });
    }
  }
  return joinOpenings(openings.toSorted((a, b) => a.from - b.from));
}

function joinOpenings(sorted: readonly Opening[]): Opening[] {
  const joined: Opening[] = [];
  for (const opening of sorted) {
    const last = joined.at(-1);
    if (last && opening.from <= last.to)
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, opening.to) };
    else joined.push(opening);
  }
  return joined;
}

/** An end at midnight belongs to the day before. */
function nameEnd(time: number, local: number): string {
  return time === startOfDay(time) ? nameTime(time - 1, local, '24:00') : nameTime(time, local);
}

function nameTime(time: number, local: number, clock = timeOf(time)): string {
  return startOfDay(time) === startOfDay(local) ? `às ${clock}` : `${nameDay(time)}, às ${clock}`;
}

function nameDay(local: number): string {
  const [year = '', month = '', day = ''] = new Date(local).toISOString().slice(0, 10).split('-');
  return `${WEEKDAYS[new Date(local).getUTCDay()]}, ${day}/${month}/${year}`;
}

function weekdayOf(local: number): number {
  return new Date(local).getUTCDay() || 7;
}

function timeOf(local: number): string {
  return new Date(local).toISOString().slice(11, 16);
}

function startOfDay(local: number): number {
  return Math.floor(local / DAY_MS) * DAY_MS;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return 60 * hours + minutes;
}
