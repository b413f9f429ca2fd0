import type { Figure, Meaning } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { type Token, tokenAt } from '../../../text/figures/tokens.ts';
import { unitOf } from '../../../text/figures/units.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { isSpecific, stemOf } from '../../../text/words.ts';

/*
 * The words near a figure tell what it is about. A word counts more the closer it stands, and less if another figure, a clause
 * or a sentence lies between.
 */

/** The words and figures of a text in one order, each with the clause and sentence that it stands in. */
export interface FigurePlaces {
  readonly stems: readonly string[];
  readonly words: readonly PlacedWord[];
  readonly figures: readonly PlacedFigure[];
}

export interface Place {
  /** The number of words and figures before it; the words of a figure share one place. */
  readonly at: number;
  readonly clause: number;
  readonly sentence: number;
}

interface PlacedWord extends Place {
  /** The figure that the word is a part of, and so says nothing about: `trinta dias`, `8h em ponto`. */
  readonly ofFigure: number | undefined;
}

export interface PlacedFigure extends Place {
  readonly figure: Figure;
  readonly before: string;
  /** The stem of the word after it, which it may count. */
  readonly noun: string | undefined;
}

/** The end of a line, as in a table, separates more than the end of a sentence. */
const LINE = 2;
const SENTENCE_ENDS = new Set(['.', '!', '?', '…']);
const CLAUSE_ENDS = new Set(', ; : ( ) | — – e mas ou ja enquanto quem and but'.split(' '));

/** Yields after some tokens of a long text. */
export function* placeFigures(
  tokens: readonly Token[],
  figures: readonly Figure[],
): Generator<void, FigurePlaces> {
  const stems: string[] = [];
  const words: PlacedWord[] = [];
  const placed: PlacedFigure[] = [];
  let [at, clause, sentence, next] = [0, 0, 0, 0];
  yield* inSteps(tokens.entries(), ([number, token]) => {
    const isEnd = SENTENCE_ENDS.has(token.text) && tokenAt(tokens, number + 1).isApart;
    const isInside = token.start < (placed.at(-1)?.figure.end ?? 0);
    if (token.isFirst) sentence += LINE;
    else if (isEnd) sentence += 1;
    if (!isInside && (token.isFirst || isEnd || CLAUSE_ENDS.has(token.text))) clause += 1;
    if (!isInside) at += 1;
    for (let figure = figures[next]; figure && figure.start < token.end; figure = figures[++next]) {
      const before = tokens[number - 1]?.text ?? '';
      placed.push({ figure, at, clause, sentence, before, noun: nounBehind(tokens, number, figure) });
    }
    const stem = contentStemOf(token);
    if (stem === undefined) return;
    stems.push(stem);
    const ofFigure = isPartOf(placed.at(-1)?.figure, tokens, number) ? placed.length - 1 : undefined;
    words.push({ at, clause, sentence, ofFigure });
  });
  return { stems, words, figures: placed };
}

function nounBehind(tokens: readonly Token[], first: number, { end }: Figure): string | undefined {
  let at = first;
  while (at < tokens.length && tokenAt(tokens, at).start < end) at += 1;
  const token = tokenAt(tokens, at);
  // `vezes` is not counted itself, as in `duas vezes por semana`.
  return token.isFirst || token.text === 'vezes' ? undefined : contentStemOf(token);
}

/** Whether the token belongs to the figure before it. */
function isPartOf(figure: Figure | undefined, tokens: readonly Token[], number: number): boolean {
  if (!figure?.isClaim) return false;
  const isSharp = tokenAt(tokens, number).text === 'ponto' && tokenAt(tokens, number - 1).text === 'em';
  return tokenAt(tokens, isSharp ? number - 2 : number).start < figure.end;
}

/** Nearness of each stem, up to 1. */
export type Nearness = ReadonlyMap<string, number>;

/** Words on either side that count. */
const REACH = 30;
const HALF_DISTANCE = 6;
const BEHIND_FIGURE = 0.5;
const BEHIND_CLAUSE = 0.75;
const BEHIND_SENTENCE = 0.3;

export function stemsNear(places: FigurePlaces, index: number): Nearness {
  const near = new Map<string, number>();
  const { words, stems, figures } = places;
  const own = figures[index];
  if (!own) return near;
  const first = firstFrom(words, own.at);
  for (const step of [-1, 1]) {
    let other = index + step;
    let factor = 1;
    for (let word = step < 0 ? first - 1 : first; Math.abs(word - first) <= REACH; word += step) {
      const place = words[word];
      if (!place || factor < 0.05) break;
      if (isSkipped(place, index, figures)) continue;
      // The figure is passed on the way.
      for (
        let passed = figures[other];
        passed && (step < 0 ? passed.at > place.at : passed.at < place.at);
      ) {
        factor *= BEHIND_FIGURE;
        other += step;
        passed = figures[other];
      }
      const distance = Math.abs(place.at - own.at);
      const clauses = Math.min(Math.abs(place.clause - own.clause), 3);
      const sentences = Math.min(Math.abs(place.sentence - own.sentence), 3);
      const nearness =
        (factor * BEHIND_CLAUSE ** clauses * BEHIND_SENTENCE ** sentences) / (1 + distance / HALF_DISTANCE);
      const stem = stems[word] ?? '';
      near.set(stem, Math.max(near.get(stem) ?? 0, nearness));
    }
  }
  return near;
}

/** Words of a date say what other figures are about: `até 14 de março`. */
function isSkipped({ ofFigure }: PlacedWord, index: number, figures: readonly PlacedFigure[]): boolean {
  return ofFigure !== undefined && (ofFigure === index || figures[ofFigure]?.figure.kind !== 'date');
}

/** Returns the first word at or after that token, by binary search. */
function firstFrom(words: readonly Place[], at: number): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ASKING = new Set('quanto quanta quantos quantas qual quais quando que when how what which'.split(' '));
const MAX_QUESTION = 2_000;
const WITHOUT_ASKING = 0.7;

/** Returns the words of a question by their nearness to the word that asks. */
export function stemsAsked(question: string): Nearness {
  const { tokens } = findFigures(foldInPlace(question.slice(0, MAX_QUESTION)));
  const asking = tokens.findIndex(({ text }) => ASKING.has(text));
  const near = new Map<string, number>();
  for (const [at, token] of tokens.entries()) {
    const stem = unitOf(token.text) ? undefined : contentStemOf(token);
    if (stem === undefined) continue;
    const nearness = asking < 0 ? WITHOUT_ASKING : 1 / (1 + (Math.abs(at - asking) - 1) / HALF_DISTANCE);
    near.set(stem, Math.max(near.get(stem) ?? 0, nearness));
  }
  return near;
}

/** Returns the kind of figures that might stand in its place. */
export function kindOf({ meanings }: Figure): string {
  const count = meanings.find(({ type }) => type === 'count');
  const meaning = count ?? meanings[0];
  if (meaning?.type === 'count' && (meaning.of === 'alone' || meaning.of === 'nothing')) return 'any';
  return meaning ? nameOf(meaning) : '';
}

export function kindsOf({ meanings }: Figure): string[] {
  const kinds = new Set(meanings.map(nameOf));
  const isNumber = meanings.some(({ type }) => !NO_NUMBERS.has(type));
  return isNumber ? [...kinds, 'any'] : [...kinds];
}

const NO_NUMBERS: ReadonlySet<Meaning['type']> = new Set(['phone', 'email', 'url', 'code', 'term']);

function nameOf(meaning: Meaning): string {
  if (meaning.type === 'quantity')
    return meaning.dimension === 'minutes' ? timeOf(meaning) : meaning.dimension;
  return meaning.type === 'term' ? 'date' : meaning.type;
}

const HOUR = 60;
const DAY = 24 * HOUR;
export const TIME_KINDS = ['days', 'hours', 'minutes'] as const;

/** Separates days, hours and minutes by the units written: `23 minutos` cannot stand in the place of `23:30`. */
function timeOf({ value, written }: Extract<Meaning, { type: 'quantity' }>): (typeof TIME_KINDS)[number] {
  const unit = written === undefined ? HOUR : value / written;
  if (unit >= DAY || value > DAY) return 'days';
  return unit < HOUR ? 'minutes' : 'hours';
}

/** Returns the stem of a word that says what a text is about. */
export function contentStemOf({ type, text }: Token): string | undefined {
  return type === 'word' && text.length > 1 && isSpecific(text) ? stemOf(text) : undefined;
}

const STEP = 500;

/** Acts on each item and yields after some, for lists as long as a caller's text makes them. */
export function* inSteps<T>(items: Iterable<T>, act: (item: T) => void): Generator<void, void> {
  let done = 0;
  for (const item of items) {
    act(item);
    done += 1;
    if (done % STEP === 0) yield;
  }
}
