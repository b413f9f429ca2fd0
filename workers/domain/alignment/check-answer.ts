import { carriersOf, makeStemNumbers, type StemPlaces } from './carriers.ts';
import { acceptedKeys, type Figure, type FigureKind } from './figure.ts';
import { findFigures } from './find-figures.ts';
import { foldCharacters } from './fold-characters.ts';
import { type Ground, piecesOf, readGround } from './read-ground.ts';
import { type Span, splitSentences } from './split-sentences.ts';
import type { Token } from './tokens.ts';

/*
 * What an answer stands on, by words and figures alone. Each text is read once, and each sentence is compared with each
 * piece of them once: at most 400 sentences, whose words are not more than those of the answer. `work` counts both.
 */

/** The texts that an answer may rest on. */
export interface AnswerGrounds {
  /** Passages of the knowledge, which are named as sources. */
  readonly passages: readonly string[];
  /** Results of tools, the dialogue, and the context that was given. */
  readonly others: readonly string[];
}

export interface UnsupportedFigure extends Span {
  readonly kind: FigureKind;
  readonly text: string;
}

export interface CheckedAnswer {
  /** The passages that carry sentences, in the order of the passages. */
  readonly sources: readonly { readonly passage: number; readonly sentences: readonly Span[] }[];
  /** Figures that stand in no ground. */
  readonly unsupported: readonly UnsupportedFigure[];
  /** Characters that were read, and comparisons of a word with a ground. */
  readonly work: number;
}

interface OwnedGround extends Ground {
  readonly places: StemPlaces;
  /** Undefined for another text than a passage. */
  readonly passage: number | undefined;
}

/** Yields after each piece of a text and each sentence, so that the caller can pause. */
export function* checkAnswer(
  answer: string,
  { passages, others }: AnswerGrounds,
): Generator<void, CheckedAnswer> {
  const { figures, tokens } = findFigures(foldCharacters(answer));
  const sentences = splitSentences(answer);
  const claims = figures.filter(({ isClaim }) => isClaim);
  const stems = makeStemNumbers();
  const statements = statementsOf(sentences, tokens, claims, stems.add);
  const grounds: OwnedGround[] = [];
  let work = answer.length;
  const texts = [...passages.entries(), ...others.map(text => [undefined, text] as const)];
  for (const [passage, text] of texts) {
    for (const piece of piecesOf(text)) {
      const ground = readGround(piece);
      grounds.push({ ...ground, places: stems.placesIn(ground.tokens), passage });
      work += piece.length;
      yield;
    }
  }
  const carried = new Map<number, Span[]>();
  const unsupported: UnsupportedFigure[] = [];
  const weights = stems.weights();
  const places = grounds.map(ground => ground.places);
  for (const { span, stems, figures } of statements) {
    const supports = figures.map(figure => supportersOf(figure, grounds));
    for (const [at, figure] of figures.entries()) {
      if (supports[at]?.size === 0) unsupported.push(toUnsupported(answer, figure));
    }
    for (const carrier of carriersOf({ stems, figures: supports }, places, weights)) {
      const { passage } = grounds[carrier] ?? {};
      if (passage !== undefined) addSpan(carried, passage, span);
    }
    work += (stems.length + figures.length) * grounds.length;
    yield;
  }
  const sources = [...carried].map(([passage, spans]) => ({ passage, sentences: spans }));
  return { sources: sources.toSorted((a, b) => a.passage - b.passage), unsupported, work };
}

interface SpannedStatement {
  readonly span: Span;
  readonly stems: readonly number[];
  readonly figures: readonly Figure[];
}

/** The stems and figures of each sentence; all three are in the order of the text. */
function statementsOf(
  sentences: readonly Span[],
  tokens: readonly Token[],
  figures: readonly Figure[],
  numberOf: (token: Token) => number | undefined,
): SpannedStatement[] {
  let token = 0;
  let figure = 0;
  return sentences.map(span => {
    const stems = new Set<number>();
    const own: Figure[] = [];
    for (; (tokens[token]?.start ?? Number.POSITIVE_INFINITY) < span.to; token += 1) {
      const number = tokens[token] && numberOf(tokens[token] as Token);
      if (number !== undefined) stems.add(number);
    }
    for (; (figures[figure]?.start ?? Number.POSITIVE_INFINITY) < span.to; figure += 1) {
      if (figures[figure]) own.push(figures[figure] as Figure);
    }
    return { span, stems: [...stems], figures: own };
  });
}

function supportersOf({ meanings }: Figure, grounds: readonly Ground[]): Set<number> {
  const keys = meanings.flatMap(meaning => [...acceptedKeys(meaning)]);
  const supporters = new Set<number>();
  for (const [at, ground] of grounds.entries()) {
    if (keys.some(key => ground.keys.has(key))) supporters.add(at);
  }
  return supporters;
}

function addSpan(carried: Map<number, Span[]>, passage: number, span: Span): void {
  const spans = carried.get(passage) ?? [];
  // Two pieces of a long passage may carry the same sentence.
  if (spans.at(-1) !== span) spans.push(span);
  carried.set(passage, spans);
}

function toUnsupported(answer: string, { kind, start, end }: Figure): UnsupportedFigure {
  return { from: start, to: end, kind, text: answer.slice(start, end) };
}
