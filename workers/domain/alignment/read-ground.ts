import type { Figure, Meaning } from './figure.ts';
import { offeredKeys } from './figure.ts';
import { findFigures } from './find-figures.ts';
import { foldCharacters } from './fold-characters.ts';
import type { Token } from './tokens.ts';

/** A piece of a text that an answer may rest on. */
export interface Ground {
  /** Keys of the figures that it supports. */
  readonly keys: ReadonlySet<string>;
  readonly tokens: readonly Token[];
}

/** A longer text is read in pieces, so that the caller can pause between two. */
const MAX_PIECE = 8_000;
const LEAST_PIECE = 4_000;

/** Cuts behind a line or a sentence, else behind a word. */
export function* piecesOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    const end = text.length - from <= MAX_PIECE ? text.length : findCut(text, from);
    yield text.slice(from, end);
    from = end;
  }
}

function findCut(text: string, from: number): number {
  const piece = text.slice(from, from + MAX_PIECE);
  for (const sign of ['\n', '. ', ' ']) {
    const at = piece.lastIndexOf(sign);
    if (at >= LEAST_PIECE) return from + at + sign.length;
  }
  return from + MAX_PIECE;
}

export function readGround(text: string): Ground {
  const folded = foldCharacters(text);
  const { figures, tokens } = findFigures(folded);
  const keys = new Set<string>();
  const yearOf = makeYearFinder(folded, figures);
  for (const { meanings, start } of figures) {
    for (const meaning of meanings) {
      for (const key of offeredKeys(withYear(meaning, () => yearOf(start)))) keys.add(key);
    }
  }
  return { keys, tokens };
}

function withYear(meaning: Meaning, findYear: () => number | undefined): Meaning {
  if (meaning.type !== 'date' || meaning.year !== undefined || meaning.month === undefined) return meaning;
  const year = findYear();
  return year === undefined ? meaning : { ...meaning, year };
}

/** The year of a date without one: the only year of its line, else the only one of the text. */
function makeYearFinder(text: string, figures: readonly Figure[]): (at: number) => number | undefined {
  const years = figures.flatMap(({ meanings, start }) =>
    meanings.flatMap(meaning =>
      meaning.type === 'date' && meaning.year !== undefined ? [{ year: meaning.year, start }] : [],
    ),
  );
  const only = onlyOf(years.map(({ year }) => year));
  if (years.length === 0 || only !== undefined) return () => only;
  const byLine = new Map<number, number[]>();
  const lineOf = makeLineCounter(text);
  for (const { year, start } of years) {
    const line = lineOf(start);
    byLine.set(line, [...(byLine.get(line) ?? []), year].slice(-MAX_YEARS_OF_LINE));
  }
  return at => onlyOf(byLine.get(lineOf(at)) ?? []);
}

/** Two different ones already make it unclear. */
const MAX_YEARS_OF_LINE = 8;

function onlyOf(years: readonly number[]): number | undefined {
  const [first] = years;
  return years.every(year => year === first) ? first : undefined;
}

/** The number of the line of a place; binary search. */
function makeLineCounter(text: string): (at: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return at => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return low;
  };
}
