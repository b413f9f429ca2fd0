import { closest } from 'fastest-levenshtein';

/** Longer names are compared by their beginning, because the work grows with both lengths. */
const MAX_COMPARED_LENGTH = 64;

/** The candidate with the smallest edit distance; the first of several. */
export function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  const keys = candidates.map(comparisonKeyOf);
  return candidates[keys.indexOf(closest(comparisonKeyOf(name), keys))];
}

function comparisonKeyOf(name: string): string {
  return name.slice(0, MAX_COMPARED_LENGTH).toLowerCase();
}
