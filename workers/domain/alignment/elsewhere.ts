import { acceptedKeysOf, type FigureKind } from '../../../text/figures/figure.ts';
import type { Span } from '../../../text/sentences.ts';
import {
  type FigurePlaces,
  kindOf,
  type Nearness,
  type PlacedFigure,
  stemsNear,
  TIME_KINDS,
} from './figure-places.ts';
import type { SourcePiece } from './read-source-piece.ts';

/*
 * Decides whether a figure of an answer belongs to another statement. First, the passage with the most of its sentence must
 * lack the value, and have another of the same kind in its place. Then, in a passage that has the value, the figures that might
 * stand in its place are compared by the words near them. A figure that the answer also says stands in no other's place. A
 * sentence may say a value twice that its passage says once, beside another one that it leaves out ("das 22h às 22h"): one of
 * the two is in the other's place. Only clear cases count.
 */

export interface UnsupportedFigure extends Span {
  readonly kind: FigureKind;
  readonly text: string;
  /** Set if the figure is right in another statement of the passages. */
  readonly elsewhere?: true;
}

interface Candidate {
  readonly keys: readonly string[];
  readonly piece: number;
  /** Its index among the piece's figures. */
  readonly index: number;
  readonly noun: string | undefined;
  readonly near: () => Nearness;
}

/** A sentence of the answer, prepared for comparison with each passage. */
export interface ComparedSentence {
  /** The share of the words and figures that each piece has; 0 for a piece of no passage. */
  readonly shares: ArrayLike<number>;
  readonly whole: number;
  /** The sentence's words from the question. */
  readonly asked: Nearness;
}

/** More figures of one kind are a table, in which no statement is clearly meant. */
const MAX_OF_KIND = 256;
/** Comparisons of a figure of the answer with one of a passage. */
const MAX_COMPARED = 10_000;
/** The other passage must have this many times as much of the sentence, and of the whole. */
const CLEARLY_MORE = 1.25;
const LEAST_SHARE = 0.4;
/** The other figure must be this many times nearer. */
const CLEARLY_NEARER = 2.5;
const LEAST_NEAR = 0.3;
/** The least nearness of a word within five of a figure, with no other figure between. */
const BESIDE = 0.5;
/** A twin must be this many times nearer to the other figure; otherwise the order decides. */
const TWIN_NEARER = 1.5;

export function makeElsewhere(weightOf: (stem: string) => number, isSaidKey: (key: string) => boolean) {
  const byKind = new Map<string, Candidate[]>();
  const sizes = new WeakMap<Nearness, number>();
  let left = MAX_COMPARED;

  /** Sums the likeness of the words, each by its weight and its nearness to both. */
  function likenessOf(words: Nearness, { near }: Candidate): number {
    const other = near();
    let sum = 0;
    for (const [stem, nearby] of words) sum += weightOf(stem) * nearby * (other.get(stem) ?? 0);
    return sum === 0 ? 0 : sum / Math.sqrt(sizeOf(other));
  }
  /** Cached, because the words near a passage's figure are compared with many figures of the answer. */
  function sizeOf(words: Nearness): number {
    const known = sizes.get(words);
    if (known !== undefined) return known;
    let sum = 0;
    for (const [stem, near] of words) sum += weightOf(stem) * near ** 2;
    sizes.set(words, sum);
    return sum;
  }
  const isSaid = ({ keys }: Candidate) => keys.some(isSaidKey);
  return {
    addPassage(piece: number, { figures, nearAt }: SourcePiece): void {
      for (const [index, { keys, kinds, noun }] of figures.entries()) {
        for (const kind of kinds) {
          const list = byKind.get(kind) ?? [];
          if (list.length <= MAX_OF_KIND) list.push({ keys, piece, index, noun, near: () => nearAt(index) });
          byKind.set(kind, list);
        }
      }
    },
    /** `places` are the answer's, and `index` is the figure in them. */
    isElsewhere(places: FigurePlaces, index: number, { shares, whole, asked }: ComparedSentence): boolean {
      const figure = places.figures[index]?.figure;
      const candidates = figure ? (byKind.get(kindOf(figure)) ?? []) : [];
      if (!figure || candidates.length > MAX_OF_KIND) return false;
      left -= candidates.length;
      if (left < 0) return false;
      const keys = acceptedKeysOf(figure);
      const isEqual = (candidate: Candidate) => keys.some(key => candidate.keys.includes(key));
      const equals = candidates.filter(isEqual);
      // The passage may say "90 minutos" as "1h30".
      if (equals.length === 0 && TIME_KINDS.some(kind => byKind.get(kind)?.some(isEqual))) return false;
      const shareOf = ({ piece }: Candidate) => shares[piece] ?? 0;
      const bestShare = Math.max(0, ...equals.map(shareOf));
      const rivals = candidates.filter(each => !isEqual(each) && !isSaid(each));
      const holders = new Set(equals.map(({ piece }) => piece));
      const otherShare = Math.max(0, ...rivals.filter(({ piece }) => !holders.has(piece)).map(shareOf));
      if (otherShare > CLEARLY_MORE * bestShare && otherShare > LEAST_SHARE * whole) return true;
      const isMeant = (each: Candidate) => holders.has(each.piece) && shareOf(each) === bestShare;
      const near = stemsNear(places, index);
      const isNear = (stem: string) => (near.get(stem) ?? 0) > BESIDE;
      if (countsOther(places.figures[index], equals, rivals.filter(isMeant), isNear)) return true;
      const words = joinNearness(near, asked);
      const likenessIn = (list: readonly Candidate[]) =>
        Math.max(0, ...list.filter(isMeant).map(each => likenessOf(words, each)));
      const other = likenessIn(rivals);
      if (other > CLEARLY_NEARER * likenessIn(equals) && other > LEAST_NEAR * Math.sqrt(sizeOf(words)))
        return true;
      return isMisplacedTwin(places, index, equals.filter(isMeant), rivals.filter(isMeant), likenessOf);
    },
  };
}

/** Matches `9 lojas` if the passage has 27, and 9 of something not named. But `5 módulos obrigatórios` may be 5 of 8. */
function countsOther(
  own: PlacedFigure | undefined,
  equals: readonly Candidate[],
  rivals: readonly Candidate[],
  isNear: (stem: string) => boolean,
): boolean {
  if (own?.noun === undefined || kindOf(own.figure) !== 'count') return false;
  const hasNoun = ({ noun }: Candidate) => noun === own.noun;
  const mayBeMeant = ({ noun }: Candidate) => noun === undefined || noun === own.noun || isNear(noun);
  return rivals.some(hasNoun) && !equals.some(mayBeMeant);
}

/** Whether this one of two equal figures of the sentence stands in the place of a rival. */
function isMisplacedTwin(
  places: FigurePlaces,
  index: number,
  equals: readonly Candidate[],
  rivals: readonly Candidate[],
  likenessOf: (words: Nearness, candidate: Candidate) => number,
): boolean {
  const twin = twinOf(places, index);
  const [equal, another] = equals;
  if (twin === undefined || !equal || another || rivals.length === 0) return false;
  const [own, others] = [index, twin].map(at => stemsNear(places, at)) as [Nearness, Nearness];
  const towards = (words: Nearness, rival: Candidate) =>
    likenessOf(words, rival) / Math.max(likenessOf(words, equal), Number.EPSILON);
  const nearest = (words: Nearness) => Math.max(...rivals.map(rival => towards(words, rival)));
  const [ownNearest, othersNearest] = [nearest(own), nearest(others)];
  if (ownNearest > TWIN_NEARER * othersNearest) return true;
  if (othersNearest > TWIN_NEARER * ownNearest) return false;
  const [displaced] = rivals.toSorted(
    (a, b) => Math.abs(a.index - equal.index) - Math.abs(b.index - equal.index),
  );
  return displaced !== undefined && displaced.index > equal.index === index > twin;
}

function joinNearness(one: Nearness, other: Nearness): Nearness {
  if (other.size === 0) return one;
  const joined = new Map(other);
  for (const [stem, near] of one) joined.set(stem, Math.max(near, joined.get(stem) ?? 0));
  return joined;
}

/** Figures between two that are compared. */
const MAX_TWIN_DISTANCE = 40;
/** Words before the second of two equal figures that are one: "R$ 60,00 (sessenta reais)", "de 40 em 40 minutos". */
const REPEATS = new Set(['(', 'em', 'seja']);

/** Returns the sentence's other equal figure that is no repetition, if there is just one. */
function twinOf({ figures }: FigurePlaces, index: number): number | undefined {
  const own = figures[index];
  if (!own) return undefined;
  const keys = acceptedKeysOf(own.figure);
  const isTwin = (other: PlacedFigure | undefined) =>
    other !== undefined &&
    other.sentence === own.sentence &&
    kindOf(other.figure) === kindOf(own.figure) &&
    acceptedKeysOf(other.figure).some(key => keys.includes(key));
  const twins: number[] = [];
  for (const step of [-1, 1])
    for (let back = 1; back <= MAX_TWIN_DISTANCE; back += 1)
      if (isTwin(figures[index + step * back])) twins.push(index + step * back);
  const [twin] = twins;
  if (twin === undefined || twins.length > 1) return undefined;
  return REPEATS.has(figures[Math.max(index, twin)]?.before ?? '') ? undefined : twin;
}
