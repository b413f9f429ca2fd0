import { synonymsOf } from './synonyms.ts';

/**
 * The strength with which words of the text match a word of the question: 1 for the same word, less for derivations,
 * synonyms and misspellings.
 */
export type Variants = ReadonlyMap<string, number>;

const kinStrength = 0.5;
const synonymStrength = 0.6;
const slipStrength = 0.8;

/** Counts edits (swapped neighbours are one) and gives up beyond `limit`. */
function editsWithin(left: string, right: string, limit: number): boolean {
  if (Math.abs(left.length - right.length) > limit) return false;
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      let edits = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) edits = Math.min(edits, (before[column - 2] ?? 0) + 1);
      current.push(edits);
    }
    if (Math.min(...current) > limit) return false;
    [before, above] = [above, current];
  }
  return (above[right.length] ?? limit + 1) <= limit;
}

/** inscrever and inscrição: a long common prefix, whatever the stemmer kept after it */
function isKin(left: string, right: string): boolean {
  const shorter = Math.min(left.length, right.length);
  let common = 0;
  while (common < shorter && left[common] === right[common]) common += 1;
  return common >= 5 && common * 10 >= Math.max(left.length, right.length) * 6;
}

function slipLimit(stem: string): number {
  if (stem.length < 5 || stem.length > 30 || /\d/.test(stem)) return 0;
  return stem.length < 8 ? 1 : 2;
}

export function variantsOf(stem: string, vocabulary: ReadonlyMap<string, unknown>): Variants {
  const variants = new Map<string, number>();
  if (vocabulary.has(stem)) variants.set(stem, 1);
  for (const synonym of synonymsOf.get(stem) ?? []) {
    if (vocabulary.has(synonym)) variants.set(synonym, synonymStrength);
  }
  const limit = variants.size > 0 ? 0 : slipLimit(stem);
  for (const word of vocabulary.keys()) {
    if (variants.has(word)) continue;
    if (stem.length >= 5 && isKin(stem, word)) variants.set(word, kinStrength);
    else if (limit > 0 && stem[0] === word[0] && editsWithin(stem, word, limit))
      variants.set(word, slipStrength);
  }
  return variants;
}
