import { acceptedKeys, type Figure } from './figure.ts';
import { findFigures } from './find-figures.ts';
import { foldCharacters } from './fold-characters.ts';
import { groundOf, piecesOf } from './read-ground.ts';

/** The figures of the texts that were read. */
export interface Support {
  /** Yields after each piece of the text. */
  readSteps(text: string): Generator<void, void>;
  /** Whether each figure of the sentence stands in one of these texts. */
  hasAllOf(sentence: string): boolean;
}

export function makeSupport(): Support {
  const known = new Set<string>();
  return {
    *readSteps(text) {
      for (const piece of piecesOf(text)) {
        for (const key of groundOf(piece, false).keys) known.add(key);
        yield;
      }
    },
    hasAllOf: sentence =>
      findFigures(foldCharacters(sentence)).figures.every(
        figure => !figure.isClaim || keysOf(figure).some(key => known.has(key)),
      ),
  };
}

/** Of which a ground has to have one. */
export function keysOf({ meanings }: Figure): string[] {
  return meanings.flatMap(meaning => [...acceptedKeys(meaning)]);
}
