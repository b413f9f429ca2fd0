import type { GroundWords } from './read-ground.ts';

/*
 * Which grounds carry a sentence: those with its words, close together, weighted by how few of the grounds have them, and
 * with its figures. A ground is taken for what it adds to the ones before it, so a sentence that is made of two passages has both.
 */

/** A sentence of the answer. */
export interface Statement {
  /** Numbers of its different stems. */
  readonly stems: readonly number[];
  /** For each of its figures, the grounds that have it. */
  readonly figures: readonly ReadonlySet<number>[];
}

/** Where the stems of the answer stand in a ground. */
export interface StemPlaces {
  readonly has: Uint8Array;
  /** Stem and place, in pairs. */
  readonly places: readonly number[];
}

/** Words between the first and the last of a window. */
const WINDOW = 60;
/** More of them would only make a long ground slower. */
const MAX_PLACES = 4_000;
const MAX_CANDIDATES = 4;
const MAX_CARRIERS = 3;
/** Of the weight of a sentence. */
const LEAST_SHARE = 0.5;
const LEAST_ADDED = 0.2;
const LEAST_WORDS = 2;
/** Compared with an average word. */
const FIGURE_WEIGHT = 2;
const FREQUENT_OFFSET = 0.5;

/** The stems of the answer, numbered in their order. */
export function makeStemNumbers() {
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  let grounds = 0;
  return {
    /** Of the answer. */
    add(stem: string): number {
      const known = numbers.get(stem) ?? numbers.size;
      numbers.set(stem, known);
      return known;
    },
    /** Where they stand in a ground. */
    placesIn({ stems, places: standing }: GroundWords): StemPlaces {
      grounds += 1;
      const has = new Uint8Array(numbers.size);
      const places: number[] = [];
      for (const [at, stem] of stems.entries()) {
        const number = numbers.get(stem);
        if (number === undefined) continue;
        if (has[number] === 0) counts[number] = (counts[number] ?? 0) + 1;
        has[number] = 1;
        if (places.length < 2 * MAX_PLACES) places.push(number, standing[at] ?? 0);
      }
      return { has, places };
    },
    /** What a word weighs, also one of the question. */
    weightOf(stem: string): number {
      const number = numbers.get(stem);
      return number === undefined ? 1 : weightOfCount(counts[number], grounds);
    },
    /** What each weighs: the rarer among the grounds that were read, the more. */
    weights: () => Float64Array.from(numbers.values(), stem => weightOfCount(counts[stem], grounds)),
  };
}

function weightOfCount(count: number | undefined, grounds: number): number {
  return Math.log(1 + (grounds + 1) / ((count ?? 0) + FREQUENT_OFFSET));
}

export interface Carriers {
  readonly grounds: readonly number[];
  /** Comparisons of a stem, a figure or a place in a ground. */
  readonly work: number;
}

/** The grounds that carry the statement, the best first; none where they do not have enough of it. */
export function carriersOf(
  { stems, figures }: Statement,
  grounds: readonly StemPlaces[],
  weights: Float64Array,
): Carriers {
  const words = stems.reduce((sum, stem) => sum + (weights[stem] ?? 0), 0);
  const figureWeight = FIGURE_WEIGHT * (stems.length === 0 ? 1 : words / stems.length);
  const found = figures.filter(({ size }) => size > 0);
  const whole = words + figureWeight * found.length;
  const shares = grounds.map(({ has }, ground) => ({
    ground,
    weight:
      stems.reduce((sum, stem) => sum + (has[stem] ? (weights[stem] ?? 0) : 0), 0) +
      figureWeight * found.filter(figure => figure.has(ground)).length,
  }));
  const candidates = shares
    .filter(({ weight }) => weight >= LEAST_ADDED * whole && weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.ground - b.ground)
    .slice(0, MAX_CANDIDATES)
    .map(({ ground }) => ({
      ground,
      stems: stemsOfBestWindow(grounds[ground], new Set(stems), weights),
      figures: found.filter(figure => figure.has(ground)),
    }));
  const work = candidates.reduce(
    (sum, { ground }) => sum + (grounds[ground]?.places.length ?? 0),
    (stems.length + figures.length) * grounds.length,
  );
  return { grounds: chooseCarriers(candidates, { weights, figureWeight, whole }), work };
}

interface Candidate {
  readonly ground: number;
  readonly stems: ReadonlySet<number>;
  readonly figures: readonly unknown[];
}

interface Measure {
  readonly weights: Float64Array;
  readonly figureWeight: number;
  readonly whole: number;
}

function chooseCarriers(
  candidates: readonly Candidate[],
  { weights, figureWeight, whole }: Measure,
): number[] {
  const chosen: number[] = [];
  const covered = new Set<unknown>();
  let weight = 0;
  let marks = 0;
  while (chosen.length < MAX_CARRIERS) {
    let best: { candidate: Candidate; gain: number } | undefined;
    for (const candidate of candidates) {
      const added = [...candidate.stems].filter(stem => !covered.has(stem));
      const figures = candidate.figures.filter(figure => !covered.has(figure));
      const gain = added.reduce((sum, stem) => sum + (weights[stem] ?? 0), 0) + figureWeight * figures.length;
      if (gain > (best?.gain ?? 0)) best = { candidate, gain };
    }
    if (!best || best.gain < LEAST_ADDED * whole) break;
    chosen.push(best.candidate.ground);
    for (const each of [...best.candidate.stems, ...best.candidate.figures]) covered.add(each);
    weight += best.gain;
    marks += best.candidate.stems.size + LEAST_WORDS * best.candidate.figures.length;
  }
  return weight >= LEAST_SHARE * whole && marks >= LEAST_WORDS ? chosen : [];
}

/** Of the wanted stems those in the window of the ground with the most of them, by weight. */
function stemsOfBestWindow(
  ground: StemPlaces | undefined,
  wanted: ReadonlySet<number>,
  weights: Float64Array,
): ReadonlySet<number> {
  const places = ground?.places ?? [];
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
