import { findFigures } from '../../../text/figures/find-figures.ts';
import { foldInPlace } from '../../../text/fold-in-place.ts';
import type { Span } from '../../../text/sentences.ts';
import { type CalculationFinder, makeCalculationFinder } from './calculations.ts';
import type { UnsupportedFigure } from './elsewhere.ts';
import type { Ground } from './read-ground.ts';
import { sentencesOfGate } from './withhold-sentences.ts';

/*
 * Figures that a sentence has calculated need no source. The check and the gate that withholds sentences find the same of
 * them: both read the sentences of the gate, and count those figures only that stand nowhere.
 */

/** The figures of that span without the calculated ones. */
type CalculationFilter = (
  span: Span,
  found: readonly UnsupportedFigure[],
) => Generator<void, readonly UnsupportedFigure[]>;

/** Filters the sentences of one answer in their order; yields after each. */
export function makeCalculationFilter(answer: string, grounds: readonly Ground[]): CalculationFilter {
  // Figures of another statement have a budget of their own.
  const finders = { missing: makeCalculationFinder(), elsewhere: makeCalculationFinder() };

  function findCalculated(from: number, to: number, found: readonly UnsupportedFigure[]): Set<number> {
    const folded = foldInPlace(answer.slice(from, to));
    const read = findFigures(folded);
    const ask = (finder: CalculationFinder, figures: readonly UnsupportedFigure[]) => {
      const starts = new Set(figures.map(figure => figure.from - from));
      return finder(({ start }) => starts.has(start), folded, read, grounds);
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
