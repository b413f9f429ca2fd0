import type { Figure } from '../../../text/figures/figure.ts';
import type { ClockFact } from '../prompts/clock-line.ts';

/*
 * The clock of the host speaks of several days, so its figures stand only for the day that the answer names beside them: on the
 * 14th, "Hoje é 15/03" is wrong, although tomorrow's date is in the prompt.
 */

interface Place {
  readonly start: number;
  readonly end: number;
}

/** A day that a text names, from today or by its weekday. */
type NamedDay = { readonly daysAhead: number } | { readonly weekday: number };

const dayNames: readonly (readonly [names: string, day: NamedDay])[] = [
  ['depois de amanh[ãa]|day after tomorrow|pasado ma[ñn]ana', { daysAhead: 2 }],
  ['ontem|yesterday|ayer', { daysAhead: -1 }],
  ['hoje|today|tonight|hoy', { daysAhead: 0 }],
  ['amanh[ãa]|tomorrow|(?<!(?:la|esta|cada) )ma[ñn]ana', { daysAhead: 1 }],
  ["agora (?:são|é)|ahora (?:son|es)|it(?: is|['’]s) now|now it(?: is|['’]s)", { daysAhead: 0 }],
];
/** "Segunda" alone may be the second of something. */
const alone = '(?:[- ]feira|(?=\\s*(?:[,.;!?)]|$)|\\s+[àa]s\\s))';
const weekdayNames = [
  'domingo|sunday',
  `segunda${alone}|monday|lunes`,
  `ter[çc]a${alone}|tuesday|martes`,
  `quarta${alone}|wednesday|mi[ée]rcoles`,
  `quinta${alone}|thursday|jueves`,
  `sexta${alone}|friday|viernes`,
  's[áa]bado|saturday',
];
const allDays = [...dayNames, ...weekdayNames.map((names, weekday) => [names, { weekday }] as const)];
const anyOf = (names: readonly string[]) =>
  `(?<!\\p{L})(?:${names.map(name => `(${name})`).join('|')})(?!\\p{L})`;
const ANY_DAY = anyOf(allDays.map(([names]) => names));
/** Words between a day and its date or weekday: "hoje é o dia". An "e" would add another day. */
const BETWEEN =
  "(?:[\\s,:(–—-]|['’]s(?!\\p{L})|(?<!\\p{L})(?:é|is|es|será|will|be|estamos|dia|día|data|date|fecha|o|the|el|de|do|em|no|on)(?!\\p{L}))*";

const DAYS = new RegExp(ANY_DAY, 'giu');
const DAY_BEHIND = new RegExp(
  `^\\s*(?:\\(\\s*|(?:é|is|es|de|do|da|na|no|of|on|del|el)\\s+)?${ANY_DAY}`,
  'iu',
);
const ONLY_BETWEEN = new RegExp(`^${BETWEEN}$`, 'iu');
/** `BETWEEN` with the date that the day is said to be. */
const OWN_DATE = new RegExp(
  `^${BETWEEN}[0-9]+(?:[/.-][0-9]+)*(?![:h0-9])(?: de \\p{L}+(?: de [0-9]{4})?)?`,
  'iu',
);
const HOURS = /[0-9]{1,2}(?::[0-9]{2}|h[0-9]{0,2})/g;
const WEEKDAY_OF_DAY = new RegExp(
  `${anyOf(dayNames.map(([names]) => names))}${BETWEEN}${anyOf(weekdayNames)}`,
  'giu',
);

/** Finds weekdays that the text wrongly gives to today or tomorrow. */
export function wrongWeekdaysIn(text: string, facts: readonly ClockFact[]): Place[] {
  if (facts.length === 0) return [];
  return [...text.matchAll(WEEKDAY_OF_DAY)].flatMap(found => {
    const day = dayNames.find((_names, at) => found[at + 1] !== undefined)?.[1];
    const weekday = weekdayNames.findIndex((_names, at) => found[dayNames.length + at + 1] !== undefined);
    const own = facts.filter(fact => day && isOf(fact, day));
    if (own.length === 0 || own.some(fact => fact.weekday === weekday)) return [];
    const end = found.index + found[0].length;
    return [{ start: end - (found[dayNames.length + weekday + 1]?.length ?? 0), end }];
  });
}

/** Whether the text gives the figure to a day other than those of the facts that have it; `all` has every fact of the clock. */
export function isOfOtherDay(
  text: string,
  figure: Figure,
  having: readonly ClockFact[],
  all: readonly ClockFact[],
): boolean {
  const day = dayOf(text, figure);
  // The clock says nothing of a weekday that it does not name.
  if (!day || ('weekday' in day && !all.some(fact => isOf(fact, day)))) return false;
  return !having.some(fact => isOf(fact, day));
}

function isOf(fact: ClockFact, day: NamedDay): boolean {
  return 'weekday' in day ? fact.weekday === day.weekday : fact.daysAhead === day.daysAhead;
}

/** Characters; a day named farther away belongs to something else. */
const REACH = 200;

/** Returns the day that the text names for the figure: a date's own, or the last one named in an hour's clause. */
function dayOf(text: string, { start, end, meanings }: Figure): NamedDay | undefined {
  const isTime = meanings.some(meaning => meaning.type === 'quantity' && meaning.dimension === 'minutes');
  const clause =
    text
      .slice(Math.max(0, start - REACH), start)
      .split(/[.!?;]\s|\n/)
      .at(-1) ?? '';
  const before = [...clause.matchAll(DAYS)].at(-1);
  const behind = nameIn(DAY_BEHIND.exec(text.slice(end, end + REACH)));
  const between = before && clause.slice(before.index + before[0].length);
  if (!isTime) return between !== undefined && ONLY_BETWEEN.test(between) ? nameIn(before) : behind;
  // Another date is the day of the text after it.
  if (behind || (between && /[0-9]/.test(between.replace(OWN_DATE, '').replaceAll(HOURS, '')))) return behind;
  return nameIn(before);
}

function nameIn(found: RegExpExecArray | null | undefined): NamedDay | undefined {
  return found ? allDays.find((_names, at) => found[at + 1] !== undefined)?.[1] : undefined;
}
