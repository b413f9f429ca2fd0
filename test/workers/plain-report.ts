import type { Host } from '../../db/hosts/hosts.ts';
/*
 * The expected report, computed independently from the messages: one by one, with the time zones of the runtime,
 * without daily counts.
 */

export interface PlainMessage {
  readonly conversation: number;
  readonly at: number;
  readonly author: 'user' | 'assistant' | 'human' | 'system';
  readonly reopens: boolean;
}

export interface PlainHost {
  readonly timeZone: string;
  readonly hours: Host['businessHours'];
  readonly platforms: readonly string[];
}

interface Period {
  readonly start: number;
  readonly end: number;
}

export interface PlainReport {
  readonly services: number;
  readonly messages: number;
  readonly byUser: number;
  readonly byAssistant: number;
  readonly byHuman: number;
  readonly servicesAfterHours: number;
  readonly messagesAfterHours: number;
  readonly channels: Readonly<Record<string, string>>;
  /** [services, messages] by date; days without any are left out. */
  readonly days: Readonly<Record<string, readonly [number, number]>>;
}

/** The messages in storage order. */
export function plainReport(messages: readonly PlainMessage[], host: PlainHost, period: Period): PlainReport {
  const isIn = ({ at }: PlainMessage) => at >= period.start && at < period.end;
  const said = messages.filter(({ author }) => author !== 'system').filter(isIn);
  const services = messages.filter((message, at) => isService(message, messages.slice(0, at))).filter(isIn);
  const by = (author: string) => said.filter(message => message.author === author).length;
  const late = (all: readonly PlainMessage[]) => all.filter(({ at }) => isAfterHours(at, host)).length;
  const platformOf = ({ conversation }: PlainMessage) => host.platforms[conversation] ?? '';
  const dateOf = ({ at }: PlainMessage) => clockAt(at, host.timeZone).date;
  const servicesByDay = countBy(services, dateOf);
  const messagesByDay = countBy(said, dateOf);
  const dates = [...new Set([...servicesByDay.keys(), ...messagesByDay.keys()])];
  return {
    services: services.length,
    messages: said.length,
    byUser: by('user'),
    byAssistant: by('assistant'),
    byHuman: by('human'),
    servicesAfterHours: late(services),
    messagesAfterHours: late(said),
    channels: Object.fromEntries(
      [...countBy(services, platformOf)].map(([key, count]) => [key, String(count)]),
    ),
    days: Object.fromEntries(
      dates.map(date => [date, [servicesByDay.get(date) ?? 0, messagesByDay.get(date) ?? 0]]),
    ),
  };
}

function isService(message: PlainMessage, earlier: readonly PlainMessage[]): boolean {
  const { author, conversation, reopens } = message;
  const isFirst = !earlier.some(one => one.conversation === conversation && one.author === 'user');
  return author === 'user' && (reopens || isFirst);
}

function isAfterHours(at: number, { timeZone, hours }: PlainHost): boolean {
  const { weekday, time } = clockAt(at, timeZone);
  return !hours.some(({ days, from, to }) => days.includes(weekday) && time >= from && time < to);
}

const formats = new Map<string, Intl.DateTimeFormat>();
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export function clockAt(at: number, timeZone: string) {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}`,
    weekday: weekdays.indexOf(part('weekday')) + 1,
  };
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}
