import { inSteps } from './figure-places.ts';
import type { SourceWords } from './read-source-piece.ts';

/*
 * Finds the source passages of a sentence, as pieces that carry it: those with its words, close together and weighted by how few
 * pieces have them, and with its figures. A piece is taken for what it adds to the ones before it, so a sentence made of two
 * passages has both. Pieces of other source texts compete with pieces of passages. A piece is known by its number.
 */

/** The pieces that have a figure. */
export type Matches = ReadonlySet<number>;

export interface Statement {
  /** Numbers of its different stems. */
  readonly stems: readonly number[];
  /** How many figures are alike, by their matches. */
  readonly figures: ReadonlyMap<Matches, number>;
}

export interface WeighedPieces {
  readonly pieces: readonly { readonly places: StemPlaces }[];
  readonly weights: Float64Array;
  piecesWith(stem: number): readonly number[];
}

/** The stems of a piece and their places, in pairs, in the piece's order. */
export type StemPlaces = readonly number[];

/** Words between the first and the last of a window. */
const WINDOW = 60;
/** More places would only make a long piece slower. */
const MAX_PLACES = 4_000;
const MAX_CANDIDATES = 4;
const MAX_CHOSEN = 3;
/** The chosen pieces must have this share of the weight of a sentence. */
const LEAST_SHARE = 0.5;
const LEAST_ADDED = 0.2;
const LEAST_WORDS = 2;
/** The weight of a figure compared with an average word. */
const FIGURE_WEIGHT = 2;
const FREQUENT_OFFSET = 0.5;

/** The stems of the answer, numbered in their order. */
export function makeStemNumbers() {
  const numbers = new Map<string, number>();
  const piecesOfStems: number[][] = [];
  let pieceCount = 0;
  return {
    add(stem: string): number {
      const known = numbers.get(stem) ?? numbers.size;
      numbers.set(stem, known);
      return known;
    },
    /** Numbers the piece, and returns where the stems stand in it. */
    placesIn({ stems, places: placesInPiece }: SourceWords): StemPlaces {
      const piece = pieceCount;
      pieceCount += 1;
      const places: number[] = [];
      for (const [at, stem] of stems.entries()) {
        const number = numbers.get(stem);
        if (number === undefined) continue;
        const known = (piecesOfStems[number] ??= []);
        if (known.at(-1) !== piece) known.push(piece);
        if (places.length < 2 * MAX_PLACES) places.push(number, placesInPiece[at] ?? 0);
      }
      return places;
    },
    piecesWith: (number: number): readonly number[] => piecesOfStems[number] ?? [],
    /** Returns the weight of a word, which may also be one of the question. */
    weightOf(stem: string): number {
      const number = numbers.get(stem);
      return number === undefined ? 1 : weightOfCount(piecesOfStems[number]?.length, pieceCount);
    },
    /** Returns the weights of all stems: the fewer of the read pieces have one, the more it weighs. */
    weights: () =>
      Float64Array.from(numbers.values(), stem => weightOfCount(piecesOfStems[stem]?.length, pieceCount)),
  };
}

/** Returns the weight of a word that this many of the pieces have. */
export function weightOfCount(count: number | undefined, pieceCount: number): number {
  return Math.log(1 + (pieceCount + 1) / ((count ?? 0) + FREQUENT_OFFSET));
}

export interface BestPieces {
  readonly pieces: readonly number[];
  /** Comparisons of a stem, a figure or a place in a piece. */
  readonly work: number;
}

/** Adds up the weights of the stems that each piece has. */
export function* weighStems(
  stems: readonly number[],
  { pieces: all, weights, piecesWith }: WeighedPieces,
): Generator<void, { readonly shares: Float64Array; readonly work: number }> {
  const shares = new Float64Array(all.length);
  let work = 0;
  yield* inSteps(stems, stem => {
    const pieces = piecesWith(stem);
    for (const piece of pieces) shares[piece] = (shares[piece] ?? 0) + (weights[stem] ?? 0);
    work += pieces.length;
  });
  return { shares, work };
}

/** Counts the figures of the statement that each piece has. */
export function* countFigures(
  figures: Statement['figures'],
  pieceCount: number,
): Generator<void, { readonly counts: Float64Array; readonly work: number }> {
  const counts = new Float64Array(pieceCount);
  let work = 0;
  yield* inSteps(figures, ([matches, count]) => {
    for (const piece of matches) counts[piece] = (counts[piece] ?? 0) + count;
    work += matches.size;
  });
  return { counts, work };
}

/** Returns the pieces that carry the statement, best first; none if they do not have enough of it. */
export function* findBestPieces(
  { stems, figures }: Statement,
  weighed: WeighedPieces,
): Generator<void, BestPieces> {
  const { pieces, weights } = weighed;
  const words = stems.reduce((sum, stem) => sum + (weights[stem] ?? 0), 0);
  const figureWeight = FIGURE_WEIGHT * (stems.length === 0 ? 1 : words / stems.length);
  const found = [...figures].filter(([matches]) => matches.size > 0);
  const whole = words + figureWeight * sumOf(found);
  const ofStems = yield* weighStems(stems, weighed);
  const ofFigures = yield* countFigures(figures, pieces.length);
  const best = pieces
    .map((_, piece) => ({
      piece,
      weight: (ofStems.shares[piece] ?? 0) + figureWeight * (ofFigures.counts[piece] ?? 0),
    }))
    .filter(({ weight }) => weight >= LEAST_ADDED * whole && weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.piece - b.piece)
    .slice(0, MAX_CANDIDATES);
  const wanted = new Set(stems);
  const candidates: Candidate[] = [];
  for (const { piece } of best) {
    const own: (readonly [Matches, number])[] = [];
    yield* inSteps(found, each => void (each[0].has(piece) && own.push(each)));
    candidates.push({
      piece,
      stems: stemsOfBestWindow(pieces[piece]?.places, wanted, weights),
      figures: own,
    });
  }
  const looked = best.reduce((sum, { piece }) => sum + (pieces[piece]?.places.length ?? 0), 0);
  const chosen = yield* choosePieces(candidates, { weights, figureWeight, whole });
  return { pieces: chosen, work: ofStems.work + ofFigures.work + looked };
}

function sumOf(figures: Candidate['figures']): number {
  return figures.reduce((sum, [, count]) => sum + count, 0);
}

interface Candidate {
  readonly piece: number;
  readonly stems: ReadonlySet<number>;
  readonly figures: readonly (readonly [Matches, number])[];
}

interface Measure {
  readonly weights: Float64Array;
  readonly figureWeight: number;
  readonly whole: number;
}

function* choosePieces(
  candidates: readonly Candidate[],
  { weights, figureWeight, whole }: Measure,
): Generator<void, number[]> {
  const chosen: number[] = [];
  const covered = new Set<unknown>();
  let weight = 0;
  let marks = 0;
  while (chosen.length < MAX_CHOSEN) {
    let best: { candidate: Candidate; gain: number } | undefined;
    for (const candidate of candidates) {
      const added = [...candidate.stems].filter(stem => !covered.has(stem));
      let figures = 0;
      yield* inSteps(candidate.figures, ([figure, count]) => {
        if (!covered.has(figure)) figures += count;
      });
      const gain = added.reduce((sum, stem) => sum + (weights[stem] ?? 0), 0) + figureWeight * figures;
      if (gain > (best?.gain ?? 0)) best = { candidate, gain };
    }
    if (!best || best.gain < LEAST_ADDED * whole) break;
    const { piece, stems, figures } = best.candidate;
    chosen.push(piece);
    for (const stem of stems) covered.add(stem);
    yield* inSteps(figures, ([figure]) => void covered.add(figure));
    weight += best.gain;
    marks += stems.size + LEAST_WORDS * sumOf(figures);
  }
  return weight >= LEAST_SHARE * whole && marks >= LEAST_WORDS ? chosen : [];
}

/** Returns the wanted stems in the piece's window that has the most of them, by weight. */
function stemsOfBestWindow(
  places: StemPlaces = [],
  wanted: ReadonlySet<number>,
  weights: Float64Array,
): ReadonlySet<number> {
  const counts = new Map<number, number>();
  let weight = 0;
  let first = 0;
  let best = { weight: 0, from: 0, to: 0 };
  for (let at = 0; at < places.length; at += 2) {
    const stem = places[at] ?? 0;
    if (!wanted.has(stem)) continue;
    const count = counts.get(stem) ?? 0;
    if (count === 0) weight += weights[stem] ?? 0;
    counts.set(stem, count + 1);
    for (; (places[at + 1] ?? 0) - (places[first + 1] ?? 0) > WINDOW; first += 2) {
      const old = places[first] ?? 0;
      if (!wanted.has(old)) continue;
      const left = (counts.get(old) ?? 1) - 1;
      counts.set(old, left);
      if (left === 0) weight -= weights[old] ?? 0;
    }
    if (weight > best.weight) best = { weight, from: first, to: at };
  }
  const stems = new Set<number>();
  for (let at = best.from; at <= best.to && best.weight > 0; at += 2) {
    const stem = places[at] ?? 0;
    if (wanted.has(stem)) stems.add(stem);
  }
  return stems;
}
