import { inSteps } from './figure-places.ts';
import type { GroundWords } from './read-ground.ts';

/*
 * Finds the grounds that carry a sentence: those with its words, close together and weighted by how few grounds have them, and
 * with its figures. A ground is taken for what it adds to the ones before it, so a sentence made of two passages has both.
 */

/** A sentence of the answer. */
export interface Statement {
  /** Numbers of its different stems. */
  readonly stems: readonly number[];
  /** How many figures are alike, by the grounds that have them. */
  readonly figures: ReadonlyMap<ReadonlySet<number>, number>;
}

export interface WeighedGrounds {
  /** The stems and places of each ground, in pairs, in the ground's order. */
  readonly places: readonly StemPlaces[];
  readonly weights: Float64Array;
  groundsOf(stem: number): readonly number[];
}

export type StemPlaces = readonly number[];

/** Words between the first and the last of a window. */
const WINDOW = 60;
/** More places would only make a long ground slower. */
const MAX_PLACES = 4_000;
const MAX_CANDIDATES = 4;
const MAX_CARRIERS = 3;
/** Grounds must have this share of the weight of a sentence. */
const LEAST_SHARE = 0.5;
const LEAST_ADDED = 0.2;
const LEAST_WORDS = 2;
/** The weight of a figure compared with an average word. */
const FIGURE_WEIGHT = 2;
const FREQUENT_OFFSET = 0.5;

/** The stems of the answer, numbered in their order. */
export function makeStemNumbers() {
  const numbers = new Map<string, number>();
  const having: number[][] = [];
  let grounds = 0;
  return {
    add(stem: string): number {
      const known = numbers.get(stem) ?? numbers.size;
      numbers.set(stem, known);
      return known;
    },
    /** Returns where the stems stand in a ground. */
    placesIn({ stems, places: standing }: GroundWords): StemPlaces {
      const ground = grounds;
      grounds += 1;
      const places: number[] = [];
      for (const [at, stem] of stems.entries()) {
        const number = numbers.get(stem);
        if (number === undefined) continue;
        const known = (having[number] ??= []);
        if (known.at(-1) !== ground) known.push(ground);
        if (places.length < 2 * MAX_PLACES) places.push(number, standing[at] ?? 0);
      }
      return places;
    },
    groundsOf: (number: number): readonly number[] => having[number] ?? [],
    /** Returns the weight of a word, which may also be one of the question. */
    weightOf(stem: string): number {
      const number = numbers.get(stem);
      return number === undefined ? 1 : weightOfCount(having[number]?.length, grounds);
    },
    /** Returns the weights of all stems: the fewer of the read grounds have one, the more it weighs. */
    weights: () => Float64Array.from(numbers.values(), stem => weightOfCount(having[stem]?.length, grounds)),
  };
}

/** Returns the weight of a word that this many of the grounds have. */
export function weightOfCount(count: number | undefined, grounds: number): number {
  return Math.log(1 + (grounds + 1) / ((count ?? 0) + FREQUENT_OFFSET));
}

export interface CarryingGrounds {
  readonly grounds: readonly number[];
  /** Comparisons of a stem, a figure or a place in a ground. */
  readonly work: number;
}

/** Adds up the weights of the stems that each ground has. */
export function* weighStems(
  stems: readonly number[],
  { places, weights, groundsOf }: WeighedGrounds,
): Generator<void, { readonly shares: Float64Array; readonly work: number }> {
  const shares = new Float64Array(places.length);
  let work = 0;
  yield* inSteps(stems, stem => {
    const having = groundsOf(stem);
    for (const ground of having) shares[ground] = (shares[ground] ?? 0) + (weights[stem] ?? 0);
    work += having.length;
  });
  return { shares, work };
}

/** Counts the figures of the statement that each ground has. */
export function* countFigures(
  figures: Statement['figures'],
  grounds: number,
): Generator<void, { readonly counts: Float64Array; readonly work: number }> {
  const counts = new Float64Array(grounds);
  let work = 0;
  yield* inSteps(figures, ([having, count]) => {
    for (const ground of having) counts[ground] = (counts[ground] ?? 0) + count;
    work += having.size;
  });
  return { counts, work };
}

/** Returns the grounds that carry the statement, best first; none if they do not have enough of it. */
export function* carriersOf(
  { stems, figures }: Statement,
  grounds: WeighedGrounds,
): Generator<void, CarryingGrounds> {
  const { places, weights } = grounds;
  const words = stems.reduce((sum, stem) => sum + (weights[stem] ?? 0), 0);
  const figureWeight = FIGURE_WEIGHT * (stems.length === 0 ? 1 : words / stems.length);
  const found = [...figures].filter(([having]) => having.size > 0);
  const whole = words + figureWeight * sumOf(found);
  const ofStems = yield* weighStems(stems, grounds);
  const ofFigures = yield* countFigures(figures, places.length);
  const best = places
    .map((_, ground) => ({
      ground,
      weight: (ofStems.shares[ground] ?? 0) + figureWeight * (ofFigures.counts[ground] ?? 0),
    }))
    .filter(({ weight }) => weight >= LEAST_ADDED * whole && weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.ground - b.ground)
    .slice(0, MAX_CANDIDATES);
  const wanted = new Set(stems);
  const candidates: Candidate[] = [];
  for (const { ground } of best) {
    const own: (readonly [ReadonlySet<number>, number])[] = [];
    yield* inSteps(found, each => void (each[0].has(ground) && own.push(each)));
    candidates.push({
      ground,
      stems: stemsOfBestWindow(places[ground], wanted, weights),
      figures: own,
    });
  }
  const looked = best.reduce((sum, { ground }) => sum + (places[ground]?.length ?? 0), 0);
  const chosen = yield* chooseCarriers(candidates, { weights, figureWeight, whole });
  return { grounds: chosen, work: ofStems.work + ofFigures.work + looked };
}

function sumOf(figures: Candidate['figures']): number {
  return figures.reduce((sum, [, count]) => sum + count, 0);
}

interface Candidate {
  readonly ground: number;
  readonly stems: ReadonlySet<number>;
  readonly figures: readonly (readonly [ReadonlySet<number>, number])[];
}

interface Measure {
  readonly weights: Float64Array;
  readonly figureWeight: number;
  readonly whole: number;
}

function* chooseCarriers(
  candidates: readonly Candidate[],
  { weights, figureWeight, whole }: Measure,
): Generator<void, number[]> {
  const chosen: number[] = [];
  const covered = new Set<unknown>();
  let weight = 0;
  let marks = 0;
  while (chosen.length < MAX_CARRIERS) {
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
    const { ground, stems, figures } = best.candidate;
    chosen.push(ground);
    for (const stem of stems) covered.add(stem);
    yield* inSteps(figures, ([figure]) => void covered.add(figure));
    weight += best.gain;
    marks += stems.size + LEAST_WORDS * sumOf(figures);
  }
  return weight >= LEAST_SHARE * whole && marks >= LEAST_WORDS ? chosen : [];
}

/** Returns the wanted stems in the ground's window that has the most of them, by weight. */
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
