import { synonymStems } from './answer-synonyms.ts';

/**
 * The strength with which words of the text match a word of the question: 1 for the same word, less for derivations,
 * synonyms and misspellings.
 */
export type Variants = ReadonlyMap<string, number>;

// Tuned with the tuning questions; compare MIN_VARIANT_STRENGTH in ranking.ts.
const DERIVATION_STRENGTH = 0.5;
const SYNONYM_STRENGTH = 0.6;
const MISSPELLING_STRENGTH = 0.8;
/** Letters that derivations share at least: shorter prefixes are common to unrelated words. */
const MIN_COMMON_PREFIX = 5;

/** Counts edits (swapped neighbours are one) and gives up beyond `maxEdits`. */
function isWithinEdits(left: string, right: string, maxEdits: number): boolean {
  if (Math.abs(left.length - right.length) > maxEdits) return false;
  let rowBeforeLast: number[] = [];
  let lastRow = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const currentRow = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      let edits = Math.min(
        (lastRow[column] ?? 0) + 1,
        (currentRow[column - 1] ?? 0) + 1,
        (lastRow[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (isSwap) edits = Math.min(edits, (rowBeforeLast[column - 2] ?? 0) + 1);
      currentRow.push(edits);
    }
    if (Math.min(...currentRow) > maxEdits) return false;
    [rowBeforeLast, lastRow] = [lastRow, currentRow];
  }
  return (lastRow[right.length] ?? maxEdits + 1) <= maxEdits;
}

/** inscrever and inscrição: the prefix common to both stems has 60 % of the longer one. */
function isDerivation(left: string, right: string): boolean {
  const shorter = Math.min(left.length, right.length);
  let prefixLength = 0;
  while (prefixLength < shorter && left[prefixLength] === right[prefixLength]) prefixLength += 1;
  return prefixLength >= MIN_COMMON_PREFIX && prefixLength * 10 >= Math.max(left.length, right.length) * 6;
}

/** Edits that count as a misspelling. Short words and words with digits must match exactly. */
function findMaxEdits(stem: string): number {
  if (stem.length < 5 || stem.length > 30 || /\d/.test(stem)) return 0;
  return stem.length < 8 ? 1 : 2;
}

export function findVariants(stem: string, vocabulary: ReadonlyMap<string, unknown>): Variants {
  const variants = new Map<string, number>();
  if (vocabulary.has(stem)) variants.set(stem, 1);
  for (const synonym of synonymStems.get(stem) ?? []) {
    if (vocabulary.has(synonym)) variants.set(synonym, SYNONYM_STRENGTH);
  }
  const maxEdits = variants.size > 0 ? 0 : findMaxEdits(stem);
  for (const word of vocabulary.keys()) {
    if (variants.has(word)) continue;
    if (stem.length >= MIN_COMMON_PREFIX && isDerivation(stem, word)) variants.set(word, DERIVATION_STRENGTH);
    else if (maxEdits > 0 && stem[0] === word[0] && isWithinEdits(stem, word, maxEdits))
      variants.set(word, MISSPELLING_STRENGTH);
  }
  return variants;
}
