import type { Figure } from '../../../text/figures/figure.ts';
import { type FoundFigures, findFigures } from '../../../text/figures/find-figures.ts';
import type { Token } from '../../../text/figures/tokens.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { type Span, splitSentences } from '../../../text/sentences.ts';
import { contentStemOf, type FigurePlaces, inSteps, placeFigures } from './figure-places.ts';
import { piecesToRead } from './read-source-piece.ts';

/** A sentence of an answer, with its stems and with the figures that need a source. */
export interface AnswerStatement {
  readonly span: Span;
  readonly stems: readonly string[];
  readonly figures: readonly Figure[];
}

/** Yields after each piece of a long answer: with the fixed messages of a flow it may have a million characters. */
export function* splitStatements(
  answer: string,
): Generator<void, { readonly statements: AnswerStatement[]; readonly places: FigurePlaces }> {
  const found: { readonly tokens: Token[]; readonly figures: Figure[] } = { tokens: [], figures: [] };
  let mark = 0;
  let offset = 0;
  for (const piece of piecesToRead(answer)) {
    const { tokens, figures, lastMark } = findFigures(foldInPlace(piece), mark);
    mark = lastMark;
    found.tokens.push(...tokens.map(token => moveBy(offset, token)));
    found.figures.push(...figures.map(figure => moveBy(offset, figure)));
    offset += piece.length;
    yield;
  }
  const statements = yield* statementsOf(splitSentences(answer), found);
  return { statements, places: yield* placeFigures(found.tokens, found.figures) };
}

function moveBy<T extends { readonly start: number; readonly end: number }>(offset: number, item: T): T {
  return offset === 0 ? item : { ...item, start: item.start + offset, end: item.end + offset };
}

/** All items are in the order of the text. Words of a figure are not stems. */
function* statementsOf(
  sentences: readonly Span[],
  { tokens, figures }: Pick<FoundFigures, 'tokens' | 'figures'>,
): Generator<void, AnswerStatement[]> {
  const words = makeQueue(tokens);
  const all = makeQueue(figures);
  const statements: AnswerStatement[] = [];
  for (const span of sentences) {
    const own = all.takeUpTo(span.to);
    const inFigures = makeQueue(own);
    const stems = new Set<string>();
    let figureEnd = 0;
    yield* inSteps(words.takeUpTo(span.to), token => {
      for (const { end } of inFigures.takeUpTo(token.end)) figureEnd = end;
      const stem = token.start < figureEnd ? undefined : contentStemOf(token);
      if (stem !== undefined) stems.add(stem);
    });
    statements.push({ span, stems: [...stems], figures: own.filter(({ isClaim }) => isClaim) });
  }
  return statements;
}

/** Gives each item once, in order. */
function makeQueue<T extends { readonly start: number }>(items: readonly T[]) {
  let next = 0;
  return {
    /** Takes the remaining items that begin before that place. */
    takeUpTo(end: number): T[] {
      const from = next;
      while (next < items.length && (items[next]?.start ?? end) < end) next += 1;
      return items.slice(from, next);
    },
  };
}
