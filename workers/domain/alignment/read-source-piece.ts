import { LRUCache } from 'lru-cache';
import { type Figure, type Meaning, offeredKeys } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { piecesOf } from '../../../text/pieces.ts';
import { kindsOf, placeFigures, stemsNear } from './figure-places.ts';

export interface SourcePiece {
  /** Keys of the figures that it has. */
  readonly keys: ReadonlySet<string>;
  readonly words: SourceWords;
  readonly figures: readonly SourceFigure[];
  /** Returns the stems near the figure of that index. */
  nearAt(figure: number): ReadonlyMap<string, number>;
}

export interface SourceFigure {
  readonly keys: readonly string[];
  readonly kinds: readonly string[];
  readonly figure: Figure;
  /** The stem of the word after it. */
  readonly noun: string | undefined;
}

/** The stems of its content words, and their places as numbers of tokens. */
export interface SourceWords {
  readonly stems: readonly string[];
  readonly places: readonly number[];
  readonly known: ReadonlySet<string>;
}

/** A longer text is read in pieces, cut after a line or a sentence, else after a word. */
export function piecesToRead(text: string): Generator<string, void> {
  return piecesOf(text, 4_000, ['\n', '. ', ' ']);
}

/**
 * What was read is remembered by its text, up to this many characters: a million take about 20 MB. Texts of many turns, such as
 * passages, are kept from texts of one conversation: these come again in its next turn, may be as long as a tenant likes, and are of a
 * person, so that they are forgotten soon.
 */
const repeated = new LRUCache<string, SourcePiece>({ maxSize: 1_000_000 });
const ofConversations = new LRUCache<string, SourcePiece>({
  maxSize: 500_000,
  ttl: 10 * 60_000,
  ttlAutopurge: true,
});

export function* readSourcePiece(text: string, isRepeated: boolean): Generator<void, SourcePiece> {
  const remembered = isRepeated ? repeated : ofConversations;
  const known = remembered.get(text);
  if (known) return known;
  const piece = yield* readAnew(text);
  if (text !== '') remembered.set(text, piece, { size: text.length });
  return piece;
}

function* readAnew(text: string): Generator<void, SourcePiece> {
  const folded = foldInPlace(text);
  const { figures, tokens } = findFigures(folded);
  yield;
  const yearOf = makeYearFinder(folded, figures);
  const places = yield* placeFigures(tokens, figures);
  const found = places.figures.map(({ figure, noun }): SourceFigure => {
    const dated = figure.meanings.some(lacksYear) ? withYear(figure, yearOf(figure.start)) : figure;
    const keys = dated.meanings.flatMap(meaning => [...offeredKeys(meaning)]);
    return { keys, kinds: kindsOf(figure), figure: dated, noun };
  });
  const near: ReadonlyMap<string, number>[] = [];
  return {
    keys: new Set(found.flatMap(({ keys }) => keys)),
    words: {
      stems: places.stems,
      places: places.words.map(({ at }) => at),
      known: new Set(places.stems),
    },
    figures: found,
    nearAt: figure => (near[figure] ??= stemsNear(places, figure)),
  };
}

function lacksYear(meaning: Meaning): meaning is Extract<Meaning, { type: 'date' }> {
  return meaning.type === 'date' && meaning.year === undefined && meaning.month !== undefined;
}

function withYear(figure: Figure, year: number | undefined): Figure {
  if (year === undefined) return figure;
  const meanings = figure.meanings.map(meaning => (lacksYear(meaning) ? { ...meaning, year } : meaning));
  return { ...figure, meanings };
}

/** Finds the year of a date without one: the only year of its line, else the only one of the text. */
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

/** Two different years already make it unclear. */
const MAX_YEARS_OF_LINE = 8;

function onlyOf(years: readonly number[]): number | undefined {
  const [first] = years;
  return years.every(year => year === first) ? first : undefined;
}

/** Returns the number of a place's line, by binary search. */
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
