import type { Meaning } from './figure.ts';
import { type NumberToken, readNumber } from './read-number.ts';
import { type Token, tokenAt } from './tokens.ts';
import { isEnglishMonth, isMonthName, monthOf, ordinalOf } from './units.ts';

export type DateMeaning = Extract<Meaning, { type: 'date' }>;

export interface ReadMeaning<T extends Meaning = Meaning> {
  readonly meaning: T;
  readonly next: number;
}

const DAY_AND_MONTH = /^([0-9]{1,2})\/([0-9]{1,2})(?:\/([0-9]{4}|[0-9]{2}))?$/;
const MONTH_AND_YEAR = /^([0-9]{1,2})\/((?:19|20)[0-9]{2})$/;
const FIRST_YEAR = 1900;
const LAST_YEAR = 2099;
const SEPARATORS = new Set(['de', '/', '-', '.', 'do', ',', '(', ')']);

export function isYear(value: number): boolean {
  return Number.isInteger(value) && value >= FIRST_YEAR && value <= LAST_YEAR;
}

/** Reads a date in digits with slashes from one token. */
export function slashedDateOf(text: string): DateMeaning | undefined {
  const [, day, month, year] = DAY_AND_MONTH.exec(text) ?? [];
  if (day !== undefined) return dateOf(Number(day), Number(month), year);
  const [, monthAlone, itsYear] = MONTH_AND_YEAR.exec(text) ?? [];
  if (monthAlone === undefined || !isMonth(Number(monthAlone))) return undefined;
  return { type: 'date', month: Number(monthAlone), year: Number(itsYear) };
}

const TERM = /^((?:19|20)[0-9]{2})[./]([1-4])$/;

/** Reads `2027/1`, `2027.1`. */
export function termOf(text: string): Meaning | undefined {
  const [, year, part] = TERM.exec(text) ?? [];
  return year === undefined ? undefined : { type: 'term', year: Number(year), part: Number(part) };
}

const PARTS_OF_YEAR = new Set(['semestre', 'trimestre', 'bimestre', 'periodo']);

/** Reads the words after the ordinal number: `1º semestre de 2027`. */
export function readTerm(tokens: readonly Token[], part: number, at: number): ReadMeaning | undefined {
  if (!PARTS_OF_YEAR.has(tokenAt(tokens, at).text)) return undefined;
  const year = readYear(tokens, at + 1);
  return year && { meaning: { type: 'term', year: year.value, part }, next: year.next };
}

/** Undefined if the day or month does not exist. */
function dateOf(day: number, month: number, year: string | undefined): DateMeaning | undefined {
  if (!isMonth(month) || !isDay(day)) return undefined;
  return { type: 'date', day, month, ...(year === undefined ? {} : { year: fullYearOf(year) }) };
}

function fullYearOf(year: string): number {
  return year.length === 2 ? 2_000 + Number(year) : Number(year);
}

const isMonth = (value: number) => Number.isInteger(value) && value >= 1 && value <= 12;
const isDay = (value: number) => Number.isInteger(value) && value >= 1 && value <= 31;

/** Reads the date whose day is this number: `14 de março de 2027`, `14/mar/27`, `1º de março`. */
export function readDateFrom(
  tokens: readonly Token[],
  { value: day, next }: Pick<NumberToken, 'value' | 'next'>,
): ReadMeaning<DateMeaning> | undefined {
  if (!isDay(day)) return undefined;
  const at = skipSeparator(tokens, next);
  const month = monthOf(tokenAt(tokens, at).text);
  if (month === undefined) return readNumberedMonth(tokens, day, next);
  const isNamed = isMonthName(tokenAt(tokens, at).text);
  // `dez`, `mar` and `set` are months only if something says so.
  if (!(isNamed || at > next || hasYear(tokens, at + 1))) return undefined;
  return addYear(tokens, { type: 'date', day, month }, at + 1);
}

/** Reads the words after the day: `dia 20 do 11`. */
function readNumberedMonth(
  tokens: readonly Token[],
  day: number,
  next: number,
): ReadMeaning<DateMeaning> | undefined {
  const month = Number(tokenAt(tokens, next + 1).text);
  const isDate =
    tokenAt(tokens, next - 2).text === 'dia' && tokenAt(tokens, next).text === 'do' && isMonth(month);
  return isDate ? addYear(tokens, { type: 'date', day, month }, next + 2) : undefined;
}

/** Reads a month by its name, with a day after it (`março (dia 14)`, `March 14`), with a year, or alone. */
export function readMonthAt(tokens: readonly Token[], at: number): ReadMeaning<DateMeaning> | undefined {
  const { text } = tokenAt(tokens, at);
  const month = monthOf(text);
  if (month === undefined || !(isMonthName(text) || hasShortYear(tokens, at))) return undefined;
  const isDayBehind = tokenAt(tokens, at + 1).text === '(' && tokenAt(tokens, at + 2).text === 'dia';
  const day = isDayBehind ? readNumber(tokens, at + 3) : readEnglishDay(tokens, at);
  if (day && isDay(day.value)) return addYear(tokens, { type: 'date', day: day.value, month }, day.next);
  return addYear(tokens, { type: 'date', month }, at + 1);
}

const ENGLISH_ENDINGS = new Set(['st', 'nd', 'rd', 'th']);

function readEnglishDay(tokens: readonly Token[], month: number): NumberToken | undefined {
  if (!isEnglishMonth(tokenAt(tokens, month).text)) return undefined;
  const day = readNumber(tokens, month + 1);
  if (!day?.isPlain) return undefined;
  const { text, isApart } = tokenAt(tokens, day.next);
  return !isApart && ENGLISH_ENDINGS.has(text) ? { ...day, next: day.next + 1 } : day;
}

/** Reads `primeiro de março`. */
export function readFirstOfMonth(tokens: readonly Token[], at: number) {
  return ordinalOf(tokenAt(tokens, at).text) === 1
    ? readDateFrom(tokens, { value: 1, next: at + 1 })
    : undefined;
}

function hasYear(tokens: readonly Token[], at: number): boolean {
  return readYear(tokens, at) !== undefined;
}

/** Whether it is like `mar/27` or `mar. 2027`. */
function hasShortYear(tokens: readonly Token[], at: number): boolean {
  const separator = tokenAt(tokens, at + 1).text;
  return (separator === '/' || separator === '.') && hasYear(tokens, at + 1);
}

function addYear(tokens: readonly Token[], date: DateMeaning, at: number): ReadMeaning<DateMeaning> {
  const year = readYear(tokens, at);
  return year ? { meaning: { ...date, year: year.value }, next: year.next } : { meaning: date, next: at };
}

const TWO_DIGITS = /^[0-9]{2}$/;
const MAX_SEPARATORS = 4;

/** Reads the year after a month: `de 2027`, `/27`, `. 2027`, `do ano de 2027`, `de dois mil e vinte e sete`. */
function readYear(tokens: readonly Token[], from: number): { value: number; next: number } | undefined {
  let at = from;
  while (at < from + MAX_SEPARATORS && isYearSeparator(tokens, at)) at += 1;
  const { text } = tokenAt(tokens, at);
  if (at > from && TWO_DIGITS.test(text) && tokenAt(tokens, at - 1).text === '/')
    return { value: fullYearOf(text), next: at + 1 };
  const number = readNumber(tokens, at);
  if (!number || !(number.isPlain || number.isInWords) || !isYear(number.value)) return undefined;
  return number;
}

function isYearSeparator(tokens: readonly Token[], at: number): boolean {
  const { text } = tokenAt(tokens, at);
  return SEPARATORS.has(text) || text === 'ano';
}

function skipSeparator(tokens: readonly Token[], at: number): number {
  const { text } = tokenAt(tokens, at);
  const isSign = text === '/' || text === '-' || (text === '.' && !tokenAt(tokens, at + 1).isApart);
  return text === 'de' || isSign ? at + 1 : at;
}
