import { acceptedKeysOf, type Figure } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { type CalculationFinder, makeCalculationFinder } from './calculations.ts';
import { type Ground, groundOf, piecesToRead } from './read-ground.ts';

/** The figures of the texts that were read. */
export interface Support {
  /** Yields after each piece of the text. */
  readSteps(text: string): Generator<void, void>;
  /** A check of the sentences of one answer, in their order. */
  openCheck(): SentenceCheck;
}

/** Whether each figure of the sentence stands in one of these texts. Only where it begins a line a number may be a list mark. */
export type SentenceCheck = (sentence: string, beginsLine: boolean) => boolean;

export function makeSupport(): Support {
  const known = new Set<string>();
  const grounds: Ground[] = [];

  const isMissing = (figure: Figure) => !acceptedKeysOf(figure).some(key => known.has(key));

  function hasAllOf(
    folded: string,
    found: ReturnType<typeof findFigures>,
    findCalculated: CalculationFinder,
  ): boolean {
    const missing = found.figures.filter(figure => figure.isClaim && isMissing(figure));
    if (missing.length === 0) return true;
    const calculated = findCalculated(isMissing, folded, found, grounds);
    return missing.every(({ start }) => calculated.has(start));
  }
  return {
    *readSteps(text) {
      for (const piece of piecesToRead(text)) {
        const ground = yield* groundOf(piece, false);
        grounds.push(ground);
        for (const key of ground.keys) known.add(key);
        yield;
      }
    },
    openCheck() {
      let mark = 0;
      const findCalculated = makeCalculationFinder();
      return (sentence, beginsLine) => {
        const folded = foldInPlace(beginsLine ? sentence : `; ${sentence}`);
        const found = findFigures(folded, mark);
        mark = found.lastMark;
        return hasAllOf(folded, found, findCalculated);
      };
    },
  };
}
