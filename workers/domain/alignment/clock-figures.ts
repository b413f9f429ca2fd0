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
  ['anteontem|antes de ontem|day before yesterday|anteayer|antier|antes de ayer', { daysAhead: -2 }],
  ['depois de amanh[ãa]|day after tomorrow|pasado ma[ñn]ana', { daysAhead: 2 }],
  ['ontem|yesterday|ayer', { daysAhead: -1 }],
  ['hoje|hj|today|tonight|hoy', { daysAhead: 0 }],
  ['amanh[ãa]|tomorrow|(?<!(?:la|esta|cada) )ma[ñn]ana', { daysAhead: 1 }],
];
/** They mean today where they stand beside the figure: "we are closed now and open at 8" says nothing of today's hours. */
const nowNames = [
  'agora(?: mesmo)?|n?es[st]es? (?:exato |preciso )?(?:momentos?|instantes?)|(?:no|de) (?:exato |presente )?(?:momento|instante)',
  'atualmente|presentemente|nesta data|(?:data|dia|hora|hor[áa]rio) (?:atual|corrente|presente|de agora)(?: e)?',
  '(?:right )?now|currently|presently|at (?:the |this )?(?:very |present |current )?(?:moment|time|present)',
  '(?:current|present|local) (?:date|day|time)',
  'ahora(?: mismo)?|en estos (?:momentos|instantes)|actualmente|(?:fecha|d[íi]a|hora) (?:actual|presente|de ahora)',
].join('|');
/** The same, but only before the figure: "on 15/03 we are open". */
const hereNames = "estamos|we(?: are|['’]re)";
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
const NOW: NamedDay = { daysAhead: 0 };
const allDays = [
  ...dayNames,
  ...weekdayNames.map((names, weekday) => [names, { weekday }] as const),
  [nowNames, NOW] as const,
  [hereNames, NOW] as const,
];
const anyOf = (names: readonly (readonly [names: string, day: NamedDay])[]) =>
  `(?<!\\p{L})(?:${names.map(([each]) => `(${each})`).join('|')})(?!\\p{L})`;
/**
 * Words between a day and its date or weekday: "hoje é o dia". An "e" would add another day. Bounded, because some of them are
 * names of a day, too: a text of nothing else took its length squared.
 */
const BETWEEN =
  '(?:[\\s,:(=*_"“”«–—-]|[\'’]s(?!\\p{L})|(?<!\\p{L})(?:é|eh|is|es|são|sao|son|foi|era|was|fue|ser[áa]|ser[áa]n|will|be|estamos|it|j[áa]|ya|already|exatamente|exactly|exactamente|dia|día|data|date|fecha|o|a|um|uma|num|numa|un|una|an|the|el|la|las|de|do|em|no|en|in|on)(?!\\p{L})){0,24}';

const DAYS = new RegExp(anyOf(allDays), 'giu');
const DAY_BEHIND = new RegExp(
  `^[\\s*_"”»]*(?:\\(\\s*|(?:é|is|es|de|do|da|na|no|of|on|del|el)\\s+(?:(?:a|o|the|la|el)\\s+)?(?:(?:data|date|fecha|dia|d[íi]a)\\s+(?:de|of)\\s+)?)?${anyOf(allDays.slice(0, -1))}`,
  'iu',
);
const ONLY_BETWEEN = new RegExp(`^${BETWEEN}$`, 'iu');
/** `BETWEEN` with the date that the day is said to be. */
const OWN_DATE = new RegExp(
  `^${BETWEEN}[0-9]+(?:[/.-][0-9]+)*(?![:h0-9])(?: de \\p{L}+(?: de [0-9]{4})?)?`,
  'iu',
);
const HOURS = /[0-9]{1,2}(?::[0-9]{2}|h[0-9]{0,2})/g;
const relativeDays = allDays.filter(([, day]) => 'daysAhead' in day);
const WEEKDAY_OF_DAY = new RegExp(
  `${anyOf(relativeDays)}${BETWEEN}${anyOf(allDays.filter(([, day]) => 'weekday' in day))}`,
  'giu',
);

/** Finds weekdays that the text wrongly gives to today or tomorrow. */
export function wrongWeekdaysIn(text: string, facts: readonly ClockFact[]): Place[] {
  if (facts.length === 0) return [];
  return [...text.matchAll(WEEKDAY_OF_DAY)].flatMap(found => {
    const day = relativeDays.find((_names, at) => found[at + 1] !== undefined)?.[1];
    const [weekday, name] = weekdayIn(found.slice(relativeDays.length + 1));
    const own = facts.filter(fact => day && isOf(fact, day));
    if (own.length === 0 || own.some(fact => fact.weekday === weekday)) return [];
    const end = found.index + found[0].length;
    return [{ start: end - name.length, end }];
  });
}

function weekdayIn(groups: readonly (string | undefined)[]): readonly [weekday: number, name: string] {
  const weekday = groups.findIndex(group => group !== undefined);
  return [weekday, groups[weekday] ?? ''];
}

/** Whether the text gives the figure to another day than the facts that have it; `all` has every fact of the clock. */
export function isOfOtherDay(
  text: string,
  figure: Figure,
  having: readonly ClockFact[],
  all: readonly ClockFact[],
): boolean {
  // The clock says nothing of a weekday that it does not name.
  const days = daysOf(text, figure).filter(day => all.some(fact => isOf(fact, day)));
  if (days.length === 0) return having.every(fact => fact.isCounted);
  return !having.some(fact => days.some(day => isOf(fact, day)));
}

function isOf(fact: ClockFact, day: NamedDay): boolean {
  return 'weekday' in day
    ? fact.weekday === day.weekday && !fact.isCounted
    : fact.daysAhead === day.daysAhead;
}

/** Characters; a day named farther away belongs to something else. */
const REACH = 200;

/**
 * Returns the day that the text names for the figure: the one beside it, of which a name goes before a word for the present, or
 * the last one named in an hour's clause. A weekday beside a date may have another name before it: "yesterday, Saturday".
 */
function daysOf(text: string, { start, end, meanings }: Figure): NamedDay[] {
  const isTime = meanings.some(meaning => meaning.type === 'quantity' && meaning.dimension === 'minutes');
  const clause =
    text
      .slice(Math.max(0, start - REACH), start)
      .split(/[.!?;]\s|\n/)
      .at(-1) ?? '';
  const found = [...clause.matchAll(DAYS)];
  const isBeside = (name: RegExpExecArray | undefined, what = clause.length) =>
    name !== undefined && ONLY_BETWEEN.test(clause.slice(name.index + name[0].length, what));
  const [earlier, last] = [undefined, undefined, ...found.filter(name => nameIn(name) !== NOW)].slice(-2);
  if (!isBeside(last) && isBeside(found.at(-1))) return [NOW];
  const behind = listOf(nameIn(DAY_BEHIND.exec(text.slice(end, end + REACH))));
  const between = last && clause.slice(last.index + last[0].length);
  const before = listOf(nameIn(last));
  if (!isTime && isBeside(last))
    return isBeside(earlier, last?.index) ? [...before, ...listOf(nameIn(earlier))] : before;
  // Another date is the day of the text after it.
  if (
    !isTime ||
    behind.length > 0 ||
    (between && /[0-9]/.test(between.replace(OWN_DATE, '').replaceAll(HOURS, '')))
  )
    return behind;
  return before;
}

function listOf(day: NamedDay | undefined): NamedDay[] {
  return day ? [day] : [];
}

function nameIn(found: RegExpExecArray | null | undefined): NamedDay | undefined {
  return found ? allDays.find((_names, at) => found[at + 1] !== undefined)?.[1] : undefined;
}
