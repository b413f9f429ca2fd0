/** Longer names are compared by their beginning, because the work grows with both lengths. */
const LONGEST_COMPARED = 64;

/** The candidate with the smallest edit distance; the first of several. */
export function nearestOf(name: string, candidates: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let fewest = Infinity;
  const given = comparisonKeyOf(name);
  for (const candidate of candidates) {
    const changes = changesBetween(given, comparisonKeyOf(candidate));
    if (changes < fewest) [nearest, fewest] = [candidate, changes];
  }
  return nearest;
}

function comparisonKeyOf(name: string): string {
  return name.slice(0, LONGEST_COMPARED).toLowerCase();
}

/** Levenshtein distance, one row of the table at a time. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
