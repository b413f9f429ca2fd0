import type { Meaning } from './figure.ts';
import type { ReadMeaning } from './read-date.ts';
import { type NumberToken, readNumber } from './read-number.ts';
import { type Token, tokenAt } from './tokens.ts';
import { currencyOf, unitOf } from './units.ts';

type Amount = ReadMeaning | undefined;

const MINUTES_OF_HOUR = 60;
const HOURS_OF_DAY = 24;
const NOON = 12;

/** Reads the meaning of a number from the words and signs after it: money, a share, a time or a quantity. */
export function readAmount(tokens: readonly Token[], number: NumberToken): Amount {
  const { value, next } = number;
  return (
    readMoney(tokens, number) ??
    readPercent(tokens, value, next) ??
    readTime(tokens, value, next) ??
    readQuantity(tokens, value, next)
  );
}

/** Reads `1200 reais e 50 centavos`, `50 centavos`, `2 milhões de reais`. */
function readMoney(tokens: readonly Token[], { value, next }: NumberToken): Amount {
  const at = tokenAt(tokens, next).text === 'de' ? next + 1 : next;
  const unit = tokenAt(tokens, at).text;
  if (isCents(unit)) return { meaning: { type: 'money', currency: 'BRL', value: value / 100 }, next: at + 1 };
  const currency = tokenAt(tokens, at).type === 'word' ? currencyOf(unit) : undefined;
  if (currency === undefined) return undefined;
  const cents = tokenAt(tokens, at + 1).text === 'e' ? readNumber(tokens, at + 2) : undefined;
  const hasCents = cents !== undefined && isCents(tokenAt(tokens, cents.next).text);
  const total = hasCents ? value + cents.value / 100 : value;
  return { meaning: { type: 'money', currency, value: total }, next: hasCents ? cents.next + 1 : at + 1 };
}

function isCents(word: string): boolean {
  return word === 'centavo' || word === 'centavos';
}

function readPercent(tokens: readonly Token[], value: number, next: number): Amount {
  const { text } = tokenAt(tokens, next);
  const meaning: Meaning = { type: 'percent', value };
  if (text === '%') return { meaning, next: next + 1 };
  const isSpelled = text === 'por' && tokenAt(tokens, next + 1).text === 'cento';
  return isSpelled ? { meaning, next: next + 2 } : undefined;
}

/** Reads `8h30`, `8 horas e 30 minutos`, `oito e meia`, `2 da tarde`: in minutes, of a day or of a duration. */
function readTime(tokens: readonly Token[], hours: number, next: number): Amount {
  const { text } = tokenAt(tokens, next);
  const isNamed = unitOf(text)?.factor === MINUTES_OF_HOUR && unitOf(text)?.dimension === 'minutes';
  const behind = isNamed ? next + 1 : next;
  const rest = readMinutes(tokens, behind, isNamed);
  const end = rest?.next ?? behind;
  const shift = readHalfOfDay(tokens, end, hours);
  if (!isNamed && !rest && !shift) return undefined;
  if (!isNamed && (hours > HOURS_OF_DAY || !Number.isInteger(hours))) return undefined;
  const minutes = hours * MINUTES_OF_HOUR + (rest?.minutes ?? 0) + (shift?.minutes ?? 0);
  const written = rest || shift ? {} : { written: hours };
  return {
    meaning: { type: 'quantity', dimension: 'minutes', value: minutes, ...written },
    next: shift?.next ?? end,
  };
}

interface Minutes {
  readonly minutes: number;
  readonly next: number;
}

/** Reads the minutes after the hours: `30`, `30min`, `e 30 minutos`, `e meia`. */
function readMinutes(tokens: readonly Token[], at: number, isNamed: boolean): Minutes | undefined {
  const first = tokenAt(tokens, at);
  if (first.text === 'e') {
    const half = tokenAt(tokens, at + 1).text;
    if (half === 'meia') return { minutes: 30, next: at + 2 };
    const number = readNumber(tokens, at + 1);
    const isMinutes = number && unitOf(tokenAt(tokens, number.next).text)?.factor === 1;
    return isNamed && isMinutes ? { minutes: number.value, next: number.next + 1 } : undefined;
  }
  if (!isNamed || first.type !== 'number' || first.text.length !== 2) return undefined;
  const next = tokenAt(tokens, at + 1);
  const isMinutes = unitOf(next.text)?.factor === 1 && unitOf(next.text)?.dimension === 'minutes';
  if (first.isApart && !isMinutes) return undefined;
  return { minutes: Number(first.text), next: isMinutes ? at + 2 : at + 1 };
}

/** Reads `da tarde`, `da noite`, `pm`, which add half a day, and `da manhã`, `am`, which do not. */
function readHalfOfDay(tokens: readonly Token[], at: number, hours: number): Minutes | undefined {
  const half = tokenAt(tokens, at).text;
  if (half === 'am' || half === 'pm')
    return { minutes: half === 'pm' && hours < NOON ? NOON * MINUTES_OF_HOUR : 0, next: at + 1 };
  if (tokenAt(tokens, at).text !== 'da') return undefined;
  const { text } = tokenAt(tokens, at + 1);
  if (text === 'manha' || text === 'madrugada') return { minutes: 0, next: at + 2 };
  if (text !== 'tarde' && text !== 'noite') return undefined;
  return { minutes: hours < NOON ? NOON * MINUTES_OF_HOUR : 0, next: at + 2 };
}

/** Reads `12 meses`, `dois anos e meio`, `1,2 km²`. */
function readQuantity(tokens: readonly Token[], value: number, next: number): Amount {
  const { text } = tokenAt(tokens, next);
  const unit = text === "'" ? { dimension: 'minutes', factor: 1 } : unitOf(text);
  if (!unit) return undefined;
  const squareEnd = findSquare(tokens, next + 1);
  if (squareEnd !== undefined) {
    const dimension = `square ${unit.dimension}`;
    return {
      meaning: { type: 'quantity', dimension, value: value * unit.factor ** 2, written: value },
      next: squareEnd,
    };
  }
  const isHalf = tokenAt(tokens, next + 1).text === 'e' && /^mei[ao]$/.test(tokenAt(tokens, next + 2).text);
  const total = (isHalf ? value + 0.5 : value) * unit.factor;
  return {
    meaning: { type: 'quantity', dimension: unit.dimension, value: total, written: value },
    next: isHalf ? next + 3 : next + 1,
  };
}

function findSquare(tokens: readonly Token[], at: number): number | undefined {
  const { text, isApart } = tokenAt(tokens, at);
  if (text === '²' || (text === '2' && !isApart)) return at + 1;
  return text === 'quadrados' || text === 'quadrado' ? at + 1 : undefined;
}
