import { acceptedKeysOf, type Figure } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import type { ClockFact } from '../prompts/clock-line.ts';
import { type CalculationFinder, makeCalculationFinder } from './calculations.ts';
import { isOfOtherDay, wrongWeekdaysIn } from './clock-figures.ts';
import { piecesToRead, readSourcePiece, type SourcePiece } from './read-source-piece.ts';

/** The figures of the texts that were read. */
export interface Support {
  /** Yields after each piece of the text. */
  readSteps(text: string, fact?: ClockFact): Generator<void, void>;
  /** Opens a check of one answer's sentences, in order. */
  openCheck(): SentenceCheck;
}

/** Whether each figure of the sentence stands in one of these texts. A number may be a list mark only if it begins a line. */
export type SentenceCheck = (sentence: string, beginsLine: boolean) => boolean;

export function makeSupport(): Support {
  const known = new Set<string>();
  const pieces: SourcePiece[] = [];

  const clock: { readonly fact: ClockFact; readonly keys: ReadonlySet<string> }[] = [];

  function isMissingIn(sentence: string, figure: Figure): boolean {
    const accepted = acceptedKeysOf(figure);
    if (accepted.some(key => known.has(key))) return false;
    const facts = clock.filter(({ keys }) => accepted.some(key => keys.has(key))).map(({ fact }) => fact);
    return (
      facts.length === 0 ||
      isOfOtherDay(
        sentence,
        figure,
        facts,
        clock.map(({ fact }) => fact),
      )
    );
  }

  function hasAllOf(
    sentence: string,
    folded: string,
    found: ReturnType<typeof findFigures>,
    findCalculated: CalculationFinder,
  ): boolean {
    const isMissing = (figure: Figure) => isMissingIn(sentence, figure);
    const missing = found.figures.filter(figure => figure.isClaim && isMissing(figure));
    if (missing.length === 0) return true;
    const calculated = findCalculated(isMissing, folded, found, pieces);
    return missing.every(({ start }) => calculated.has(start));
  }
  return {
    *readSteps(text, fact) {
      for (const part of piecesToRead(text)) {
        const piece = yield* readSourcePiece(part, false);
        pieces.push(piece);
        if (fact) clock.push({ fact, keys: piece.keys });
        else for (const key of piece.keys) known.add(key);
        yield;
      }
    },
    openCheck() {
      let mark = 0;
      const findCalculated = makeCalculationFinder();
      return (sentence, beginsLine) => {
        const text = beginsLine ? sentence : `; ${sentence}`;
        const folded = foldInPlace(text);
        const found = findFigures(folded, mark);
        mark = found.lastMark;
        return (
          hasAllOf(text, folded, found, findCalculated) &&
          wrongWeekdaysIn(
            text,
            clock.map(({ fact }) => fact),
          ).length === 0
        );
      };
    },
  };
}
