import { blankOut, findAddresses, findDigitCodes } from './address-figures.ts';
import type { Figure, Meaning } from './figure.ts';
import { readFigure, type TokenFigure } from './read-figure.ts';
import { type Token, tokenAt, tokensOf } from './tokens.ts';

/*
 * Addresses are found first, then numbers that are identifiers (phone numbers, dates with dots), then the meaning that the words
 * around a number give it. Each step blanks its figures for the next, and looks ahead a bounded number of tokens.
 */

const DIGIT = /[0-9]/;
const CONNECTORS = new Set(['a', 'e', 'ou', 'ate', '-', '–', '/', 'as', 'ao', 'o', 'dia']);
/** Connectors may follow each other, as in `ao dia`. */
const MAX_CONNECTORS = 3;

/** The figures of a folded text, in order, and the tokens outside them. */
export interface FoundFigures {
  readonly figures: readonly Figure[];
  readonly tokens: readonly Token[];
  /** The highest list number so far. */
  readonly lastMark: number;
}

/** `lastMark`: of the earlier text, which this one continues. */
export function findFigures(folded: string, lastMark = 0): FoundFigures {
  const addresses = findAddresses(folded);
  const withoutAddresses = blankOut(folded, addresses);
  const codes = DIGIT.test(withoutAddresses) ? findDigitCodes(withoutAddresses) : [];
  const tokens = tokensOf(blankOut(withoutAddresses, codes));
  const read = readAll(tokens, lastMark);
  const shared = shareUnits(tokens, read.figures).map(figure => toFigure(tokens, figure));
  const figures = [...addresses, ...codes, ...shared].toSorted((a, b) => a.start - b.start);
  return { figures, tokens, lastMark: read.lastMark };
}

function readAll(tokens: readonly Token[], markBefore: number) {
  const figures: TokenFigure[] = [];
  let lastMark = markBefore;
  for (let at = 0; at < tokens.length; ) {
    const figure = readFigure(tokens, at);
    const number = figure && (markAt(tokens, figure) ?? stepAt(tokens, figure));
    const isMark = number !== undefined && number <= lastMark + 1;
    if (isMark) lastMark = Math.max(lastMark, number);
    if (figure) figures.push(isMark ? { ...figure, isClaim: false } : figure);
    at = figure?.next ?? at + 1;
  }
  return { figures, lastMark };
}

function toFigure(tokens: readonly Token[], { kind, meanings, isClaim, from, next }: TokenFigure): Figure {
  return {
    kind,
    meanings,
    isClaim,
    start: tokenAt(tokens, from).start,
    end: tokenAt(tokens, next - 1).end,
  };
}

/** Reads the mark of a list item: `1. Abra o portal`, `## 1) Prazos`. A number that is alone on its line is a statement. */
function markAt(tokens: readonly Token[], { from, next }: TokenFigure): number | undefined {
  const first = tokenAt(tokens, from - 1).text.startsWith('#') ? from - 1 : from;
  if (!tokenAt(tokens, first).isFirst || next !== from + 1) return undefined;
  const { text } = tokenAt(tokens, next);
  const behind = tokenAt(tokens, next + 1);
  const isMark = (text === '.' || text === ')') && behind.isApart && !behind.isFirst && behind.text !== '';
  return isMark ? Number(tokenAt(tokens, from).text) : undefined;
}

const STEPS = new Set('passo etapa opcao dica item parte fase exemplo step option'.split(' '));
const BEHIND_STEP = new Set([':', '.', '-', '–', '—', ')']);

/** Reads a step such as `Passo 1: abra o portal`. */
function stepAt(tokens: readonly Token[], { from, next }: TokenFigure): number | undefined {
  const word = tokenAt(tokens, from - 1);
  const isStep = STEPS.has(word.text) && (word.isFirst || tokenAt(tokens, from - 2).isFirst);
  if (!isStep || next !== from + 1 || !BEHIND_STEP.has(tokenAt(tokens, next).text)) return undefined;
  return Number(tokenAt(tokens, from).text);
}

/** Applies a unit that is written once to both numbers: `8 a 12 dias`, `14 e 15 de março`, `R$ 100 a 200`. */
function shareUnits(tokens: readonly Token[], figures: readonly TokenFigure[]): TokenFigure[] {
  const shared = [...figures];
  for (let at = shared.length - 2; at >= 0; at -= 1) {
    const [one, other] = [shared[at], shared[at + 1]];
    if (!one || !other || !isConnected(tokens, one, other)) continue;
    shared[at] = withUnitOf(one, other, isRange(tokens, one));
  }
  for (let at = 1; at < shared.length; at += 1) {
    const [one, other] = [shared[at - 1], shared[at]];
    if (!one || !other || !isConnected(tokens, one, other)) continue;
    if (one.kind === 'money' || one.kind === 'percent')
      shared[at] = withUnitOf(other, one, isRange(tokens, one));
  }
  return shared;
}

function isRange(tokens: readonly Token[], { next }: TokenFigure): boolean {
  const { text } = tokenAt(tokens, next);
  return text !== 'e' && text !== 'ou';
}

function isConnected(tokens: readonly Token[], one: TokenFigure, other: TokenFigure): boolean {
  const between = tokens.slice(one.next, Math.min(other.from, one.next + MAX_CONNECTORS));
  if (between.length === 0 || other.from - one.next > MAX_CONNECTORS) return false;
  const isNear = between.every(({ text, isFirst }) => CONNECTORS.has(text) && !isFirst);
  return isNear && !tokenAt(tokens, other.from).isFirst;
}

/** With `e` or `ou` between them (`nota 6,0 e 75 %`), the number may also have no unit. */
function withUnitOf(figure: TokenFigure, other: TokenFigure, isSure: boolean): TokenFigure {
  const [own] = figure.meanings;
  const [model] = other.meanings;
  const meaning = own && model && meaningLike(own, model);
  if (!meaning) return figure;
  const isOther = !isSure && meaning.type !== 'date' && own.type === 'count';
  return { ...figure, kind: other.kind, meanings: isOther ? [meaning, own] : [meaning] };
}

/** The number with the unit of the other; undefined if it has its own, or the other has none. */
function meaningLike(own: Meaning, model: Meaning): Meaning | undefined {
  if (own.type === 'date' && model.type === 'date') {
    const isPart = own.year === undefined && (own.month === undefined || model.year !== undefined);
    return isPart && own.day !== undefined && model.day !== undefined ? { ...model, ...own } : undefined;
  }
  if (own.type !== 'count' || own.of === 'named') return undefined;
  const { value } = own;
  // This is `de 1º a 5 de março`.
  if (own.of === 'order' && model.type !== 'date') return undefined;
  switch (model.type) {
    case 'money':
    case 'percent':
      return { ...model, value };
    case 'quantity':
      return quantityLike(value, model);
    case 'date':
      return model.day !== undefined && model.month !== undefined && value >= 1 && value <= 31
        ? { ...model, day: value }
        : undefined;
    case 'count':
    case 'term':
    case 'phone':
    case 'email':
    case 'url':
    case 'code':
      return undefined;
  }
}

/** A time of day with minutes has no factor, because its unit is the hour. */
function quantityLike(value: number, model: Extract<Meaning, { type: 'quantity' }>): Meaning {
  const factor = model.written ? model.value / model.written : 60;
  return { type: 'quantity', dimension: model.dimension, value: value * factor, written: value };
}
