import { acceptedKeysOf, type Figure, type FigureKind } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import type { Span } from '../../../text/sentences.ts';
import { type AnswerGrounds, listGroundTexts } from './answer-grounds.ts';
import { type CalculationFinder, MAX_CALCULATED, makeCalculationFinder } from './calculations.ts';
import { carriersOf, makeStemNumbers, type StemPlaces } from './carriers.ts';
import { makeElsewhere } from './elsewhere.ts';
import { type Nearness, stemsAsked } from './figure-places.ts';
import { type Ground, groundOf, piecesToRead } from './read-ground.ts';
import { readStatements } from './statements.ts';
import { makeSupporterIndex, type Supporters } from './supporters.ts';

/*
 * What an answer stands on, by words and figures alone. Each text is read once, in pieces. Each word and figure of a
 * sentence is compared with each piece once; then the sentence is compared more closely with the four nearest pieces.
 */

export interface UnsupportedFigure extends Span {
  readonly kind: FigureKind;
  readonly text: string;
  /** It is right in another statement of the passages. */
  readonly elsewhere?: true;
}

export interface CheckedAnswer {
  /** The passages that carry sentences, in the order of the passages. */
  readonly sources: readonly { readonly passage: number; readonly sentences: readonly Span[] }[];
  /** Figures that stand in no ground. */
  readonly unsupported: readonly UnsupportedFigure[];
  /** Characters that were read, and comparisons with the grounds. */
  readonly work: number;
}

/** Yields after each piece of a text and each sentence, so that the caller can pause. */
export function* checkAnswer(answer: string, grounds: AnswerGrounds): Generator<void, CheckedAnswer> {
  const stemNumbers = makeStemNumbers();
  const { statements: read, places: answerPlaces } = yield* readStatements(answer);
  const statements = read.map(({ stems, ...statement }) => ({
    ...statement,
    stems: stems.map(stemNumbers.add),
  }));
  const figuresToFind = statements.flatMap(({ figures }) => figures);
  // Only passages are named as sources, and only figures need one.
  if (grounds.passages.length === 0 && figuresToFind.length === 0)
    return { sources: [], unsupported: [], work: answer.length };
  const asked = stemsAsked(grounds.question);
  const askedStems = [...asked.keys()].map(stemNumbers.add);
  const index = makeSupporterIndex(figuresToFind);
  const elsewhere = makeElsewhere(stemNumbers.weightOf, new Set(figuresToFind.flatMap(acceptedKeysOf)));
  const texts: Ground[] = [];
  const places: StemPlaces[] = [];
  /** For each piece its passage. */
  const owners: (number | undefined)[] = [];
  let work = answer.length;
  for (const { text, passage, isRepeated } of listGroundTexts(grounds)) {
    for (const piece of piecesToRead(text)) {
      const ground = groundOf(piece, isRepeated);
      index.addGround(places.length, ground.keys);
      texts.push(ground);
      if (passage !== undefined) elsewhere.addPassage(places.length, ground);
      places.push(stemNumbers.placesIn(ground.words));
      owners.push(passage);
      work += piece.length;
      yield;
    }
  }
  const sources = makeSourceList();
  const unsupported: UnsupportedFigure[] = [];
  const weights = stemNumbers.weights();
  const findCalculated = makeCalculationFinder();
  const numberOf = new Map(answerPlaces.figures.map(({ figure }, number) => [figure, number]));
  for (const { span, stems, figures } of statements) {
    const supporters = figures.map(index.supportersOf);
    const carriers = carriersOf({ stems, figures: supporters }, places, weights);
    const isBare = stems.length < LEAST_OWN_WORDS;
    const words = isBare ? [...stems, ...askedStems] : stems;
    const shareWithout = makeShares(words, supporters, places, weights);
    const found = figures.flatMap((figure, at): UnsupportedFigure[] => {
      const having = supporters[at] ?? new Set();
      if (having.size === 0) return [toUnsupported(answer, figure)];
      // A row of many figures means no statement clearly.
      if (figures.length > MAX_FIGURES_OF_SENTENCE) return [];
      if ([...having].some(ground => owners[ground] === undefined)) return [];
      const compared = { ...shareWithout(having), asked: isBare ? asked : NO_WORDS };
      const isElsewhere = elsewhere.isElsewhere(answerPlaces, numberOf.get(figure) ?? -1, compared);
      return isElsewhere ? [{ ...toUnsupported(answer, figure), elsewhere: true }] : [];
    });
    unsupported.push(
      ...withoutCalculated(answer.slice(span.from, span.to), span.from, found, texts, findCalculated),
    );
    // A question back says nothing that a passage could carry.
    if (!answer.slice(0, span.to).endsWith('?'))
      for (const carrier of carriers.grounds) sources.add(owners[carrier], span);
    work += carriers.work;
    yield;
  }
  return { sources: sources.list(), unsupported, work };
}

const MAX_FIGURES_OF_SENTENCE = 40;
const NO_WORDS: Nearness = new Map();

function withoutCalculated(
  sentence: string,
  from: number,
  found: readonly UnsupportedFigure[],
  texts: readonly Ground[],
  findCalculated: CalculationFinder,
): readonly UnsupportedFigure[] {
  if (found.length === 0 || found.length > MAX_CALCULATED) return found;
  const folded = foldInPlace(sentence);
  const starts = new Set(found.map(figure => figure.from - from));
  const isFound = ({ start }: Figure) => starts.has(start);
  const calculated = findCalculated(isFound, folded, findFigures(folded), texts);
  return found.filter(figure => !calculated.has(figure.from - from));
}

/** A sentence with fewer words of its own answers in the words of the question. */
const LEAST_OWN_WORDS = 2;

/** What each ground has of the words of a sentence and of its figures but one. Each ground is looked at once. */
function makeShares(
  stems: readonly number[],
  figures: readonly Supporters[],
  places: readonly StemPlaces[],
  weights: Float64Array,
) {
  const whole = stems.reduce((sum, stem) => sum + (weights[stem] ?? 0), 0);
  const ofFigure = stems.length === 0 ? 1 : whole / stems.length;
  const times = new Map<Supporters, number>();
  for (const figure of figures) times.set(figure, (times.get(figure) ?? 0) + 1);
  let shares: Float64Array | undefined;
  function readAll(): Float64Array {
    const read = new Float64Array(places.length);
    for (const [ground, { has }] of places.entries())
      for (const stem of stems) if (has[stem]) read[ground] = (read[ground] ?? 0) + (weights[stem] ?? 0);
    for (const [figure, count] of times)
      for (const ground of figure) read[ground] = (read[ground] ?? 0) + count * ofFigure;
    return read;
  }
  return (figure: Supporters) => {
    shares ??= readAll();
    const left = shares.slice();
    const own = (times.get(figure) ?? 0) * ofFigure;
    for (const ground of figure) left[ground] = (left[ground] ?? 0) - own;
    return { shares: left, whole };
  };
}

function makeSourceList() {
  const carried = new Map<number, Span[]>();
  return {
    add(passage: number | undefined, span: Span): void {
      if (passage === undefined) return;
      const spans = carried.get(passage) ?? [];
      // Two pieces of a long passage may carry the same sentence.
      if (spans.at(-1) !== span) spans.push(span);
      carried.set(passage, spans);
    },
    list: () =>
      [...carried]
        .map(([passage, sentences]) => ({ passage, sentences }))
        .toSorted((a, b) => a.passage - b.passage),
  };
}

function toUnsupported(answer: string, { kind, start, end }: Figure): UnsupportedFigure {
  return { from: start, to: end, kind, text: answer.slice(start, end) };
}
