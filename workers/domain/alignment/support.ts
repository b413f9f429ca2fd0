import { acceptedKeys, type Figure } from '../../../text/figures/figure.ts';
import { findFigures } from '../../../text/figures/find-figures.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import { groundOf, piecesToRead } from './read-ground.ts';

/** The figures of the texts that were read. */
export interface Support {
  /** Yields after each piece of the text. */
  readSteps(text: string): Generator<void, void>;
  /** Whether each figure of the sentence stands in one of these texts. Only where it begins a line a number may be a list mark. */
  hasAllOf(sentence: string, beginsLine: boolean): boolean;
}

export function makeSupport(): Support {
  const known = new Set<string>();
  return {
    *readSteps(text) {
      for (const piece of piecesToRead(text)) {
        for (const key of groundOf(piece, false).keys) known.add(key);
        yield;
      }
    },
    hasAllOf: (sentence, beginsLine) =>
      findFigures(foldInPlace(beginsLine ? sentence : `; ${sentence}`)).figures.every(
        figure => !figure.isClaim || keysOf(figure).some(key => known.has(key)),
      ),
  };
}

/** Of which a ground has to have one. */
export function keysOf({ meanings }: Figure): string[] {
  return meanings.flatMap(meaning => [...acceptedKeys(meaning)]);
}
