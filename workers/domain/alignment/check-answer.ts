import type { Figure, FigureKind } from '../../../text/figures/figure.ts';
import type { Span } from '../../../text/sentences.ts';
import { type AnswerGrounds, listGroundTexts } from './answer-grounds.ts';
import { makeElsewhere } from './elsewhere.ts';
import { carriersOf, makeStemNumbers, type StemPlaces } from './carriers.ts';
import { groundOf, piecesToRead } from './read-ground.ts';
import { readStatements } from './statements.ts';
import { makeSupporterIndex } from './supporters.ts';

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
  const { statements: read, places: ofAnswer } = yield* readStatements(answer);
  const statements = read.map(({ stems, ...statement }) => ({
    ...statement,
    stems: stems.map(stemNumbers.add),
  }));
  const figuresToFind = statements.flatMap(({ figures }) => figures);
  // Only passages are named as sources, and only figures need one.
  if (grounds.passages.length === 0 && figuresToFind.length === 0)
    return { sources: [], unsupported: [], work: answer.length };
  const index = makeSupporterIndex(figuresToFind);
  const places: StemPlaces[] = [];
  /** For each piece its passage. */
  const owners: (number | undefined)[] = [];
  const elsewhere = makeElsewhere(grounds.question, stemNumbers.weightOf);
  let work = answer.length;
  for (const { text, passage, isRepeated } of listGroundTexts(grounds)) {
    for (const piece of piecesToRead(text)) {
      const ground = groundOf(piece, isRepeated);
      index.addGround(places.length, ground.keys);
      places.push(stemNumbers.placesIn(ground.words));
      if (passage !== undefined) elsewhere.addPassage(ground);
      owners.push(passage);
      work += piece.length;
      yield;
    }
  }
  const sources = makeSourceList();
  const unsupported: UnsupportedFigure[] = [];
  const weights = stemNumbers.weights();
  for (const { span, stems, figures } of statements) {
    const supporters = figures.map(index.supportersOf);
    for (const [at, figure] of figures.entries()) {
      const grounds = supporters[at] ?? new Set();
      if (grounds.size === 0) unsupported.push(toUnsupported(answer, figure));
      else if ([...grounds].every(ground => owners[ground] !== undefined)) {
        const isElsewhere = elsewhere.isElsewhere(ofAnswer, ofAnswer.figures.findIndex(each => each.figure === figure));
        if (isElsewhere) unsupported.push({ ...toUnsupported(answer, figure), elsewhere: true });
      }
    }
    const carriers = carriersOf({ stems, figures: supporters }, places, weights);
    for (const carrier of carriers.grounds) sources.add(owners[carrier], span);
    work += carriers.work;
    yield;
  }
  return { sources: sources.list(), unsupported, work };
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
