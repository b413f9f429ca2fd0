import { acceptedKeysOf, type Figure } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import type { Span } from '../../../text/sentences.ts';
import type { ClockFact } from '../prompts/clock-line.ts';
import { type CalculationFinder, makeCalculationFinder } from './calculations.ts';
import { isOfOtherDay, wrongWeekdaysIn } from './clock-figures.ts';
import { makeElsewhere, type UnsupportedFigure } from './elsewhere.ts';
import { type FigurePlaces, inSteps, type Nearness, stemsAsked } from './figure-places.ts';
import { piecesToRead, readSourcePiece, type SourcePiece } from './read-source-piece.ts';
import {
  countFigures,
  findBestPieces,
  type Matches,
  makeStemNumbers,
  type StemPlaces,
  type WeighedPieces,
  weighStems,
} from './source-passages.ts';
import { type AnswerStatement, splitStatements } from './statements.ts';
import { sentencesOfGate } from './withhold-sentences.ts';

/*
 * Finds the support of an answer, by words and figures alone. Each text is read once, in pieces. Each word and figure of a
 * sentence is compared with each piece once; then the sentence is compared more closely with the four nearest pieces.
 */

export interface AnswerSupport {
  /** The passages that carry sentences, in the order of the passages. */
  readonly sources: readonly { readonly passage: number; readonly sentences: readonly Span[] }[];
  /** Figures without a match, or of another day or statement. */
  readonly unsupported: readonly UnsupportedFigure[];
  /** Counts characters read, and comparisons with the source texts. */
  readonly work: number;
}

/** Yields after each piece of a text, and within a sentence with many words or figures, so that the caller can pause. */
export function* checkAnswer(answer: string, sourceTexts: SourceTexts): Generator<void, AnswerSupport> {
  const stemNumbers = makeStemNumbers();
  const index = makeMatchIndex();
  const read = yield* splitStatements(answer);
  const statements = yield* numberStatements(read.statements, stemNumbers, index);
  // Only passages are named as sources, and only figures need one.
  const { clock = [] } = sourceTexts;
  const weekdaysOf = ({ from, to }: Span) => wrongWeekdaysIn(answer.slice(from, to), clock);
  const isPlain = ({ span, figures }: NumberedStatement) =>
    figures.length === 0 && weekdaysOf(span).length === 0;
  if (sourceTexts.passages.length === 0 && statements.every(isPlain))
    return { sources: [], unsupported: [], work: answer.length };
  const asked = stemsAsked(sourceTexts.question);
  const askedStems = [...asked.keys()].map(stemNumbers.add);
  const elsewhere = makeElsewhere(stemNumbers.weightOf, index.accepts);
  const pieces: ReadPiece[] = [];
  let work = answer.length;
  for (const { text, isRepeated, ...origin } of listSourceTexts(sourceTexts)) {
    for (const part of piecesToRead(text)) {
      const piece = yield* readSourcePiece(part, isRepeated);
      index.addPiece(pieces.length, piece.keys);
      if (origin.passage !== undefined) elsewhere.addPassage(pieces.length, piece);
      pieces.push({ ...piece, ...origin, places: stemNumbers.placesIn(piece.words) });
      work += part.length;
      yield;
    }
  }
  const sources = makeSourceList();
  const unsupported: UnsupportedFigure[] = [];
  const weighed = { pieces, weights: stemNumbers.weights(), piecesWith: stemNumbers.piecesWith };
  const isElsewhere = yield* makeElsewhereCheck(read.places, { elsewhere, weighed, asked, askedStems });
  const isMisdated = makeDayCheck(answer, pieces);
  const withoutCalculated = makeCalculationFilter(answer, pieces);
  for (const statement of statements) {
    const { span, stems } = statement;
    const matches = yield* findStatementMatches(statement, index);
    const best = yield* findBestPieces({ stems, figures: matches.counts }, weighed);
    const found = yield* findUnsupported(answer, statement, matches, isElsewhere, isMisdated);
    for (const { start, end } of weekdaysOf(span))
      found.push(toUnsupported(answer, { kind: 'date', start: span.from + start, end: span.from + end }));
    found.sort((a, b) => a.from - b.from);
    yield* inSteps(yield* withoutCalculated(span, found), figure => void unsupported.push(figure));
    // A question back says nothing that a passage could carry.
    if (answer.charAt(span.to - 1) !== '?')
      for (const piece of best.pieces) sources.add(pieces[piece]?.passage, span);
    work += best.work;
    yield;
  }
  return { sources: sources.list(), unsupported, work };
}

/** A piece is known by its number, its place in the list of pieces. */
interface ReadPiece extends SourcePiece, Pick<SourceText, 'passage' | 'fact'> {
  readonly places: StemPlaces;
}

interface NumberedStatement {
  readonly span: Span;
  readonly stems: readonly number[];
  readonly figures: readonly Figure[];
}

function* numberStatements(
  read: readonly AnswerStatement[],
  stemNumbers: ReturnType<typeof makeStemNumbers>,
  index: MatchIndex,
): Generator<void, NumberedStatement[]> {
  const statements: NumberedStatement[] = [];
  for (const { span, stems, figures } of read) {
    const numbers: number[] = [];
    yield* inSteps(stems, stem => void numbers.push(stemNumbers.add(stem)));
    yield* inSteps(figures, index.addFigure);
    statements.push({ span, stems: numbers, figures });
  }
  return statements;
}

interface StatementMatches {
  readonly ofFigures: readonly Matches[];
  /** How many figures are alike, by their matches. */
  readonly counts: ReadonlyMap<Matches, number>;
}

function* findStatementMatches(
  { figures }: NumberedStatement,
  index: MatchIndex,
): Generator<void, StatementMatches> {
  const ofFigures: Matches[] = [];
  const counts = new Map<Matches, number>();
  yield* inSteps(figures, figure => {
    const found = index.findMatches(figure);
    ofFigures.push(found);
    counts.set(found, (counts.get(found) ?? 0) + 1);
  });
  return { ofFigures, counts };
}

const MAX_FIGURES_OF_SENTENCE = 40;

/** Finds the figures without a match, of another day and of another statement. */
function* findUnsupported(
  answer: string,
  statement: NumberedStatement,
  matches: StatementMatches,
  makeIsElsewhere: ElsewhereCheck,
  isMisdated: DayCheck,
): Generator<void, UnsupportedFigure[]> {
  const { figures } = statement;
  const found: UnsupportedFigure[] = [];
  // A row of many figures makes no clear statement.
  const isCompared = figures.length > 0 && figures.length <= MAX_FIGURES_OF_SENTENCE;
  const isElsewhere = isCompared ? yield* makeIsElsewhere(statement, matches) : undefined;
  for (const [at, figure] of figures.entries()) {
    const own = matches.ofFigures[at];
    if (!own || own.size === 0) found.push(toUnsupported(answer, figure));
    else if (isMisdated(figure, own)) found.push(toUnsupported(answer, figure));
    else if (isElsewhere?.(figure, own)) found.push({ ...toUnsupported(answer, figure), elsewhere: true });
    yield;
  }
  return found;
}

type DayCheck = (figure: Figure, matches: Matches) => boolean;

/** Checks whether only the clock has the figure, and for another day than the answer says. */
function makeDayCheck(answer: string, pieces: readonly ReadPiece[]): DayCheck {
  const all = pieces.flatMap(({ fact }) => fact ?? []);
  return (figure, matches) => {
    const facts: ClockFact[] = [];
    for (const piece of matches) {
      const fact = pieces[piece]?.fact;
      if (!fact) return false;
      facts.push(fact);
    }
    return isOfOtherDay(answer, figure, facts, all);
  };
}

type ElsewhereCheck = (
  statement: NumberedStatement,
  matches: StatementMatches,
) => Generator<void, (figure: Figure, matches: Matches) => boolean>;

interface ComparedPieces {
  readonly elsewhere: ReturnType<typeof makeElsewhere>;
  readonly weighed: WeighedPieces & { readonly pieces: readonly ReadPiece[] };
  /** The words of the question, and their numbers. */
  readonly asked: Nearness;
  readonly askedStems: readonly number[];
}

const NO_WORDS: Nearness = new Map();
/** A sentence with fewer words of its own answers in the words of the question. */
const LEAST_OWN_WORDS = 2;

function* makeElsewhereCheck(
  places: FigurePlaces,
  { elsewhere, weighed, asked, askedStems }: ComparedPieces,
): Generator<void, ElsewhereCheck> {
  const numberOf = new Map<Figure, number>();
  yield* inSteps(places.figures.entries(), ([number, { figure }]) => void numberOf.set(figure, number));
  return function* ({ stems }, { counts }) {
    const isBare = stems.length < LEAST_OWN_WORDS;
    const shareWithout = yield* makeShares(isBare ? [...stems, ...askedStems] : stems, counts, weighed);
    return (figure, matches) => {
      if ([...matches].some(piece => weighed.pieces[piece]?.passage === undefined)) return false;
      const compared = { ...shareWithout(matches), asked: isBare ? asked : NO_WORDS };
      return elsewhere.isElsewhere(places, numberOf.get(figure) ?? -1, compared);
    };
  };
}

/** Returns what each piece has of the words of a sentence and of its figures except one. */
function* makeShares(stems: readonly number[], counts: StatementMatches['counts'], weighed: WeighedPieces) {
  const { pieces, weights } = weighed;
  const whole = stems.reduce((sum, stem) => sum + (weights[stem] ?? 0), 0);
  const ofFigure = stems.length === 0 ? 1 : whole / stems.length;
  const { shares: ofStems } = yield* weighStems(stems, weighed);
  const { counts: ofFigures } = yield* countFigures(counts, pieces.length);
  return (without: Matches) => {
    const own = counts.get(without) ?? 0;
    const shares = ofStems.map((share, piece) => {
      const others = (ofFigures[piece] ?? 0) - (without.has(piece) ? own : 0);
      return share + others * ofFigure;
    });
    return { shares, whole };
  };
}

function makeSourceList() {
  const byPassage = new Map<number, Span[]>();
  return {
    add(passage: number | undefined, span: Span): void {
      if (passage === undefined) return;
      const spans = byPassage.get(passage) ?? [];
      // Two pieces of a long passage may carry the same sentence.
      if (spans.at(-1) !== span) spans.push(span);
      byPassage.set(passage, spans);
    },
    list: () =>
      [...byPassage]
        .map(([passage, sentences]) => ({ passage, sentences }))
        .toSorted((a, b) => a.passage - b.passage),
  };
}

function toUnsupported(
  answer: string,
  { kind, start, end }: Pick<Figure, 'kind' | 'start' | 'end'>,
): UnsupportedFigure {
  return { from: start, to: end, kind, text: answer.slice(start, end) };
}

const NO_MATCHES: Matches = new Set();

type MatchIndex = ReturnType<typeof makeMatchIndex>;

/** Finds the pieces that have the figures of an answer. Each key of a piece is looked at once. */
function makeMatchIndex() {
  const byKey = new Map<string, Set<number>>();
  const byKeys = new Map<string, Matches>();
  return {
    accepts: (key: string): boolean => byKey.has(key),
    /** Must be called before the pieces are added. */
    addFigure(figure: Figure): void {
      for (const key of acceptedKeysOf(figure)) if (!byKey.has(key)) byKey.set(key, new Set());
    },
    addPiece(piece: number, keys: ReadonlySet<string>): void {
      // Iterates over the smaller of the two.
      if (byKey.size < keys.size) {
        for (const [key, pieces] of byKey) if (keys.has(key)) pieces.add(piece);
      } else for (const key of keys) byKey.get(key)?.add(piece);
    },
    /** Must be called after all pieces are added. Returns the same set for figures that are alike. */
    findMatches(figure: Figure): Matches {
      const keys = acceptedKeysOf(figure);
      const name = keys.join('\n');
      const matches = byKeys.get(name) ?? unionOf(keys.map(key => byKey.get(key) ?? NO_MATCHES));
      byKeys.set(name, matches);
      return matches;
    },
  };
}

function unionOf(sets: readonly Matches[]): Matches {
  return new Set(sets.flatMap(set => [...set]));
}

/*
 * Calculated figures of a sentence need no source. The check and the gate that withholds sentences find the same ones: both
 * read the gate's sentences, and count only figures that stand nowhere.
 */

/** Returns the figures of that span without the calculated ones. */
type CalculationFilter = (
  span: Span,
  found: readonly UnsupportedFigure[],
) => Generator<void, readonly UnsupportedFigure[]>;

/** Filters the sentences of one answer in order; yields after each. */
function makeCalculationFilter(answer: string, pieces: readonly SourcePiece[]): CalculationFilter {
  // Figures of another statement have a limit of their own.
  const finders = { missing: makeCalculationFinder(), elsewhere: makeCalculationFinder() };

  function findCalculated(from: number, to: number, found: readonly UnsupportedFigure[]): Set<number> {
    const folded = foldInPlace(answer.slice(from, to));
    const read = findFigures(folded);
    const ask = (finder: CalculationFinder, figures: readonly UnsupportedFigure[]) => {
      const starts = new Set(figures.map(figure => figure.from - from));
      return finder(({ start }) => starts.has(start), folded, read, pieces);
    };
    const isElsewhere = (figure: UnsupportedFigure) => figure.elsewhere === true;
    return new Set([
      ...ask(
        finders.missing,
        found.filter(figure => !isElsewhere(figure)),
      ),
      ...ask(finders.elsewhere, found.filter(isElsewhere)),
    ]);
  }
  return function* (span, found) {
    if (found.length === 0) return found;
    const left: UnsupportedFigure[] = [];
    let next = 0;
    for (const sentence of sentencesOfGate(answer.slice(span.from, span.to))) {
      const [from, to] = [span.from + sentence.from, span.from + sentence.to];
      const first = next;
      while ((found[next]?.from ?? to) < to) next += 1;
      const own = found.slice(first, next);
      const calculated = own.length === 0 ? undefined : findCalculated(from, to, own);
      left.push(...own.filter(figure => !calculated?.has(figure.from - from)));
      yield;
    }
    return left;
  };
}

/** The texts that an answer may rest on. */
export interface SourceTexts {
  readonly question: string;
  /** Passages of the knowledge, which are named as sources. */
  readonly passages: readonly string[];
  /** Texts of the host that come in many turns, such as the prompt of the avatar. */
  readonly hostTexts: readonly string[];
  /** Results of tools, the dialogue, and the context that was given. */
  readonly others: readonly string[];
  /** The clock's facts, whose figures hold only for the days that they name. */
  readonly clock?: readonly ClockFact[];
}

export interface SourceText {
  readonly text: string;
  /** Undefined for a text other than a passage. */
  readonly passage: number | undefined;
  readonly isRepeated: boolean;
  /** The fact of the clock that this text states. */
  readonly fact?: ClockFact;
}

/** Passages come first: of two texts that carry a sentence equally, the first is named. */
export function listSourceTexts({
  question,
  passages,
  hostTexts,
  others,
  clock = [],
}: SourceTexts): SourceText[] {
  return [
    ...passages.map((text, passage) => ({ text, passage, isRepeated: true })),
    ...hostTexts.map(text => ({ text, passage: undefined, isRepeated: true })),
    ...[...others, question].map(text => ({ text, passage: undefined, isRepeated: false })),
    ...clock.map(fact => ({ text: fact.text, passage: undefined, isRepeated: false, fact })),
  ];
}
