import type { QueryIndex } from './query-index.ts';
import type { Sentence } from './sentences.ts';

/** Count of each query term, and the number of terms in all. */
export interface TermCounts {
  readonly counts: readonly number[];
  readonly size: number;
}

/** The term counts of a passage. */
export interface PassageCounts {
  readonly stems: TermCounts;
  readonly grams: TermCounts;
  readonly pairs: TermCounts;
  readonly sentences: readonly (TermCounts & { readonly hasNumber: boolean })[];
}

export function countPassageTerms(sentences: readonly Sentence[], query: QueryIndex): PassageCounts {
  const stems = zeros(query.stemWeights.length);
  const grams = zeros(query.gramWeights.length);
  const pairs = zeros(query.pairWeights.length);
  let gramCount = 0;
  let before = -1;
  const read = sentences.map(({ words, hasNumber }) => {
    const counts = zeros(stems.length);
    for (const word of words) {
      const hit = query.hitOf(word);
      gramCount += hit.gramCount;
      for (const gram of hit.grams) add(grams, gram);
      add(stems, hit.stem);
      add(counts, hit.stem);
      if (before >= 0 && hit.stem >= 0) add(pairs, query.pairOf(before, hit.stem) ?? -1);
      before = hit.stem;
    }
    return { counts, size: words.length, hasNumber };
  });
  const size = read.reduce((sum, sentence) => sum + sentence.size, 0);
  return {
    stems: { counts: stems, size },
    grams: { counts: grams, size: gramCount },
    pairs: { counts: pairs, size },
    sentences: read,
  };
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0);
}

function add(counts: number[], index: number): void {
  if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
}
