import { isNumberWord } from '../number-words.ts';
import type { FigureKind, Meaning } from './figure.ts';
import { readAmount } from './read-amount.ts';
import {
  isYear,
  type ReadMeaning,
  readDateFrom,
  readFirstOfMonth,
  readMonthAt,
  readTerm,
  slashedDateOf,
  termOf,
} from './read-date.ts';
import { isRomanNumber, type NumberToken, readNumber, readSpacedNumber, valuesOf } from './read-number.ts';
import { type Token, tokenAt } from './tokens.ts';
import { currencyOf, monthOf, ordinalOf, unitOf } from './units.ts';

/** A figure, and the tokens from `from` to before `next`. */
export interface TokenFigure {
  readonly kind: FigureKind;
  readonly meanings: readonly Meaning[];
  readonly isClaim: boolean;
  readonly from: number;
  readonly next: number;
}

const CLOCK = /^([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?$/;
/** These words may precede an hour without its unit. */
const BEFORE_HOURS = new Set(['as', 'das']);
const BEFORE_MONTHS = new Set(['em', 'ate', 'desde', 'entre', 'mes']);
const PLURAL_ARTICLES = new Set(['os', 'as']);
/** A number does not count these words after it. */
const FUNCTION_WORDS = new Set(
  'a o as os e ou de da do das dos em no na nos nas ao aos por para com que se ate entre mais vai fica sao foi'.split(
    ' ',
  ),
);
const ORDERED = new Set(
  'dia mes ano semestre periodo trimestre bimestre lugar andar via chamada parcela fase etapa turma serie'.split(
    ' ',
  ),
);
const AMBIGUOUS = new Set(
  'segunda segundas quarto quartos quarta quartas quinta quintas sexta sextas'.split(' '),
);
/** `primeiro` and `segundo` also order an argument. */
const LAST_AMBIGUOUS = 2;
const MINUTES_OF_DAY = 24 * 60;

export function readFigure(tokens: readonly Token[], at: number): TokenFigure | undefined {
  const token = tokenAt(tokens, at);
  if (token.type === 'sign') return readMoneySign(tokens, at);
  // Most words begin no figure, so they are skipped early.
  if (token.type === 'word') return mayBegin(token.text) ? readWordFigure(tokens, at) : undefined;
  return readDigitFigure(tokens, at) ?? readNumberFigure(tokens, at);
}

const FIXED_WORDS = new Set(['metade', 'meia', 'meio']);

function mayBegin(word: string): boolean {
  return (
    isNumberWord(word) ||
    isRomanNumber(word) ||
    monthOf(word) !== undefined ||
    ordinalOf(word) !== undefined ||
    currencyOf(word) !== undefined ||
    FIXED_WORDS.has(word)
  );
}

/** Reads `R$ 1.200,50`, `R$ 9,6 mil`. */
function readMoneySign(tokens: readonly Token[], at: number): TokenFigure | undefined {
  const currency = currencyOf(tokenAt(tokens, at).text);
  if (currency === undefined) return undefined;
  const number = readSpacedNumber(tokens, at + 1) ?? readNumber(tokens, at + 1);
  if (!number) return undefined;
  const meanings = [number.value, ...number.otherValues].map(
    value => ({ type: 'money', currency, value }) as const,
  );
  return { kind: 'money', meanings, isClaim: true, from: at, next: number.next };
}

function readWordFigure(tokens: readonly Token[], at: number): TokenFigure | undefined {
  const { text } = tokenAt(tokens, at);
  if (text === 'brl' || text === 'usd' || text === 'eur') return readMoneySign(tokens, at);
  const first = readFirstOfMonth(tokens, at);
  if (first) return figureOf('date', first, at);
  const month = readMonthAt(tokens, at);
  if (month) {
    const isAlone = month.meaning.day === undefined && month.meaning.year === undefined;
    const isClaim = !isAlone || BEFORE_MONTHS.has(tokenAt(tokens, at - 1).text);
    return { ...figureOf('date', month, at), isClaim };
  }
  return readFixedWord(tokens, at) ?? readOrdinalWord(tokens, at) ?? readNumberFigure(tokens, at);
}

function readFixedWord(tokens: readonly Token[], at: number): TokenFigure | undefined {
  const { text } = tokenAt(tokens, at);
  if (text === 'metade')
    return figureOf('percent', { meaning: { type: 'percent', value: 50 }, next: at + 1 }, at);
  const following = tokenAt(tokens, at + 1).text;
  if (text === 'meia' && following === 'hora') return minutesFigure([30], at, at + 2);
  const isTwelve = tokenAt(tokens, at + 1).text === '-' || tokenAt(tokens, at + 1).isApart;
  const half = tokenAt(tokens, following === '-' ? at + 2 : at + 1).text;
  const end = following === '-' ? at + 3 : at + 2;
  if (isTwelve && text === 'meio' && half === 'dia') return minutesFigure([MINUTES_OF_DAY / 2], at, end);
  if (isTwelve && text === 'meia' && half === 'noite') return minutesFigure([0, MINUTES_OF_DAY], at, end);
  return undefined;
}

/**
 * Reads an ordinal word. Weekdays and rooms (`quarto`) use the same words: those count only before a noun that ordinals count.
 */
function readOrdinalWord(tokens: readonly Token[], at: number): TokenFigure | undefined {
  const { text } = tokenAt(tokens, at);
  const value = ordinalOf(text);
  const term = value === undefined ? undefined : readTerm(tokens, value, at + 1);
  if (term) return figureOf('date', term, at);
  const isOrdered = ORDERED.has(tokenAt(tokens, at + 1).text);
  if (value === undefined || (AMBIGUOUS.has(text) && !isOrdered)) return undefined;
  const meaning = { type: 'count', value, of: 'order' } as const;
  const isClaim = isOrdered || value > LAST_AMBIGUOUS;
  return { ...figureOf('number', { meaning, next: at + 1 }, at), isClaim };
}

/** Reads digits with signs inside that are no decimal number: dates, times, codes. */
function readDigitFigure(tokens: readonly Token[], at: number): TokenFigure | undefined {
  const { text } = tokenAt(tokens, at);
  const term = termOf(text);
  if (term) return figureOf('date', { meaning: term, next: at + 1 }, at);
  const date = slashedDateOf(text);
  if (date) return figureOf('date', { meaning: date, next: at + 1 }, at);
  const [, hour, minute] = CLOCK.exec(text) ?? [];
  if (hour !== undefined) {
    const isUnitBehind = unitOf(tokenAt(tokens, at + 1).text)?.factor === 60;
    return minutesFigure([Number(hour) * 60 + Number(minute)], at, isUnitBehind ? at + 2 : at + 1);
  }
  if (valuesOf(text).length > 0) return undefined;
  return figureOf('number', { meaning: { type: 'code', text }, next: at + 1 }, at);
}

function readNumberFigure(tokens: readonly Token[], at: number): TokenFigure | undefined {
  const number = readNumber(tokens, at);
  if (!number) return undefined;
  const ordinal = readOrdinalSign(tokens, number);
  const date = readDateFrom(tokens, { value: number.value, next: ordinal ?? number.next });
  if (date) return figureOf('date', date, at);
  const term = ordinal === undefined ? undefined : readTerm(tokens, number.value, ordinal);
  if (term) return figureOf('date', term, at);
  if (ordinal !== undefined) {
    const meaning = { type: 'count', value: number.value, of: 'order' } as const;
    return figureOf('number', { meaning, next: ordinal }, at);
  }
  const after = skipRepetition(tokens, number);
  const spaced = readSpacedMoney(tokens, at);
  const amount = spaced ?? readAmount(tokens, { ...number, next: after });
  if (amount) return { ...amountFigure(amount, at), isClaim: isAmountClaim(tokens, number, amount) };
  return readCount(tokens, number, after);
}

/** Groups of digits with blanks are one number only if a currency follows. */
function readSpacedMoney(tokens: readonly Token[], at: number): ReadMeaning | undefined {
  const spaced = readSpacedNumber(tokens, at);
  const currency = spaced && currencyOf(tokenAt(tokens, spaced.next).text);
  if (!spaced || currency === undefined) return undefined;
  return { meaning: { type: 'money', currency, value: spaced.value }, next: spaced.next + 1 };
}

/** `um dia` may also mean an unspecified day. */
function isAmountClaim(tokens: readonly Token[], number: NumberToken, { meaning }: ReadMeaning): boolean {
  const isDay = tokenAt(tokens, number.next).text === 'dia';
  return !(number.isInWords && number.value === 1 && isDay && meaning.type === 'quantity');
}

/** Skips the number when it is repeated: `12 (doze) meses`. */
function skipRepetition(tokens: readonly Token[], { value, next }: NumberToken): number {
  if (tokenAt(tokens, next).text !== '(') return next;
  const repeated = readNumber(tokens, next + 1);
  return repeated?.value === value && tokenAt(tokens, repeated.next).text === ')' ? repeated.next + 1 : next;
}

/** Reads the sign after an ordinal number: `3º`, `3ª`, `3.º`, `3o`. */
function readOrdinalSign(tokens: readonly Token[], { next, isPlain }: NumberToken): number | undefined {
  if (!isPlain) return undefined;
  const at = tokenAt(tokens, next).text === '.' ? next + 1 : next;
  const { text, isApart } = tokenAt(tokens, at);
  if (isApart) return undefined;
  const isSign = text === 'º' || text === 'ª' || text === '°';
  return isSign || (at === next && (text === 'o' || text === 'a')) ? at + 1 : undefined;
}

function readCount(tokens: readonly Token[], number: NumberToken, next: number): TokenFigure {
  const { text: before, type } = tokenAt(tokens, number.from - 1);
  const behind = tokenAt(tokens, next);
  const isNamed = behind.type === 'word' && !FUNCTION_WORDS.has(behind.text);
  const isAlone = (type === 'sign' && before !== ',') || tokenAt(tokens, number.from).isFirst;
  const { value, otherValues } = number;
  const counts: Meaning[] = [value, ...otherValues].map(each => ({
    type: 'count',
    value: each,
    of: isNamed ? 'named' : isAlone ? 'alone' : 'nothing',
  }));
  // The reader knows which ones `as duas turmas` are, so it is no claim.
  const isKnown = isNamed && value <= 3 && PLURAL_ARTICLES.has(before);
  const isClaim = !(number.isInWords && (value === 1 || isKnown));
  const base = { isClaim, from: number.from, next };
  const isYearAlone = (number.isPlain || number.isInWords) && isYear(value);
  if (isYearAlone) {
    const meanings: Meaning[] = [{ type: 'date', year: value }, ...counts];
    return { ...base, kind: 'number', meanings };
  }
  if ((before === 'dia' || before === 'dias') && Number.isInteger(value) && value >= 1 && value <= 31)
    return { ...base, kind: 'date', meanings: [{ type: 'date', day: value }] };
  if (!BEFORE_HOURS.has(before) || !Number.isInteger(value) || value > 24)
    return { ...base, kind: 'number', meanings: counts };
  const hour = readHour(tokens, value, next);
  // This is `às oito todos saem` or `às oito vagas`.
  const meanings = isNamed ? [hour.meaning, ...counts] : [hour.meaning];
  return { ...base, kind: 'number', meanings, next: hour.next };
}

/** Reads `às oito`, `às oito e quinze`. */
function readHour(tokens: readonly Token[], hours: number, next: number): ReadMeaning {
  const rest = tokenAt(tokens, next).text === 'e' ? readNumber(tokens, next + 1) : undefined;
  const hasMinutes = rest?.isInWords === true && rest.value > 1 && rest.value < 60;
  const meaning = { type: 'quantity', dimension: 'minutes', value: hours * 60, written: hours } as const;
  if (!hasMinutes) return { meaning, next };
  return {
    meaning: { type: 'quantity', dimension: 'minutes', value: hours * 60 + rest.value },
    next: rest.next,
  };
}

function figureOf(kind: FigureKind, { meaning, next }: ReadMeaning, from: number): TokenFigure {
  return { kind, meanings: [meaning], isClaim: true, from, next };
}

function amountFigure(amount: ReadMeaning, from: number): TokenFigure {
  const { type } = amount.meaning;
  return figureOf(type === 'money' || type === 'percent' ? type : 'number', amount, from);
}

function minutesFigure(values: readonly number[], from: number, next: number): TokenFigure {
  const meanings = values.map(value => ({ type: 'quantity', dimension: 'minutes', value }) as const);
  return { kind: 'number', meanings, isClaim: true, from, next };
}
