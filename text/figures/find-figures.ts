import { blankOut, findAddresses, findDigitCodes } from './address-figures.ts';
import type { Figure, Meaning } from './figure.ts';
import { readFigure, type TokenFigure } from './read-figure.ts';
import { type Token, tokenAt, tokensOf } from './tokens.ts';

/*
 * Addresses are found first, then numbers that are identifiers (phone numbers, dates with dots), then what the words around
 * a number make of it. What one finds is blanked for the next. Each looks ahead a bounded number of tokens.
 */

const DIGIT = /[0-9]/;
const CONNECTORS = new Set(['a', 'e', 'ou', 'ate', '-', '/', 'as']);

/** The figures of a folded text, in order, and its tokens without them. */
export interface FoundFigures {
  readonly figures: readonly Figure[];
  readonly tokens: readonly Token[];
}

export function findFigures(folded: string): FoundFigures {
  const addresses = findAddresses(folded);
  const withoutAddresses = blankOut(folded, addresses);
  const codes = DIGIT.test(withoutAddresses) ? findDigitCodes(withoutAddresses) : [];
  const tokens = tokensOf(blankOut(withoutAddresses, codes));
  const read = shareUnits(tokens, readAll(tokens)).map(figure => toFigure(tokens, figure));
  const figures = [...addresses, ...codes, ...read].toSorted((a, b) => a.start - b.start);
  return { figures, tokens };
}

function readAll(tokens: readonly Token[]): TokenFigure[] {
  const figures: TokenFigure[] = [];
  for (let at = 0; at < tokens.length; ) {
    const figure = readFigure(tokens, at);
    if (figure) figures.push(isListMark(tokens, figure) ? { ...figure, isClaim: false } : figure);
    at = figure?.next ?? at + 1;
  }
  return figures;
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

/** `1. Abra o portal` */
function isListMark(tokens: readonly Token[], { from, next }: TokenFigure): boolean {
  if (!tokenAt(tokens, from).isFirst || next !== from + 1) return false;
  const { text } = tokenAt(tokens, next);
  return (text === '.' || text === ')') && tokenAt(tokens, next + 1).isApart;
}

/** `8 a 12 dias`, `14 e 15 de março`, `R$ 100 a 200`: a unit that is written once is that of both. */
function shareUnits(tokens: readonly Token[], figures: readonly TokenFigure[]): TokenFigure[] {
  const shared = [...figures];
  for (let at = shared.length - 2; at >= 0; at -= 1) {
    const [one, other] = [shared[at], shared[at + 1]];
    if (!one || !other || !isConnected(tokens, one, other)) continue;
    shared[at] = withUnitOf(one, other);
  }
  for (let at = 1; at < shared.length; at += 1) {
    const [one, other] = [shared[at - 1], shared[at]];
    if (!one || !other || !isConnected(tokens, one, other)) continue;
    if (one.kind === 'money' || one.kind === 'percent') shared[at] = withUnitOf(other, one);
  }
  return shared;
}

function isConnected(tokens: readonly Token[], one: TokenFigure, other: TokenFigure): boolean {
  const connector = tokenAt(tokens, one.next);
  const isNear = other.from === one.next + 1 && CONNECTORS.has(connector.text);
  return isNear && !connector.isFirst && !tokenAt(tokens, other.from).isFirst;
}

function withUnitOf(figure: TokenFigure, other: TokenFigure): TokenFigure {
  const [own] = figure.meanings;
  const [model] = other.meanings;
  const meaning = own && model && meaningLike(own, model);
  return meaning ? { ...figure, kind: other.kind, meanings: [meaning] } : figure;
}

/** The number with the unit of the other; undefined where it has one itself, or the other has none. */
function meaningLike(own: Meaning, model: Meaning): Meaning | undefined {
  if (own.type === 'date' && model.type === 'date') {
    const isPart = own.year === undefined && (own.month === undefined || model.year !== undefined);
    return isPart && own.day !== undefined && model.day !== undefined ? { ...model, ...own } : undefined;
  }
  if (own.type !== 'count' || (own.of !== 'nothing' && own.of !== 'alone')) return undefined;
  const { value } = own;
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
    case 'phone':
    case 'email':
    case 'url':
    case 'code':
      return undefined;
  }
}

/** A time of day with minutes has no factor: its unit is the hour. */
function quantityLike(value: number, model: Extract<Meaning, { type: 'quantity' }>): Meaning {
  const factor = model.written ? model.value / model.written : 60;
  return { type: 'quantity', dimension: model.dimension, value: value * factor, written: value };
}
