import type { QueryIndex } from './query-index.ts';
import type { Sentence } from './sentences.ts';

/** Count of each query term, and the number of terms in all. */
export interface TermCounts {
  readonly counts: readonly number[];
  readonly size: number;
}

/** The term counts of a passage. */
export interface PassageCounts {
  readonly concepts: TermCounts;
  readonly grams: TermCounts;
  readonly pairs: TermCounts;
  readonly sentences: readonly (TermCounts & {
    readonly kinds: Sentence['kinds'];
    readonly isCounted: boolean;
  })[];
}

export function countPassageTerms(sentences: readonly Sentence[], query: QueryIndex): PassageCounts {
  const concepts = zeros(query.conceptWeights.length);
  const headings = zeros(concepts.length);
  const grams = zeros(query.gramWeights.length);
  const pairs = zeros(query.pairWeights.length);
  let gramCount = 0;
  let before = -1;
  const read = sentences.map(({ words, kinds, isHeading }) => {
    // A sentence is about what the headings above it say.
    const counts = isHeading ? zeros(concepts.length) : headings.map(count => Math.min(count, 1));
    let isCounted = false;
    let last = '';
    for (const word of words) {
      const { concept, strength, ...hit } = query.hitOf(word);
      gramCount += hit.gramCount;
      for (const gram of hit.grams) add(grams, gram);
      add(concepts, concept, strength);
      add(counts, concept, strength);
      if (isHeading) add(headings, concept, strength);
      if (before >= 0 && concept >= 0) add(pairs, query.pairOf(before, concept) ?? -1);
      before = concept;
      if (concept >= 0 && concept === query.counted && isNumeral(last)) isCounted = true;
      last = word;
    }
    return { counts, size: words.length, kinds, isCounted };
  });
  const size = read.reduce((sum, sentence) => sum + sentence.size, 0);
  return {
    concepts: { counts: concepts, size },
    grams: { counts: grams, size: gramCount },
    pairs: { counts: pairs, size },
    sentences: read,
  };
}

const numeral =
  /^(?:\d|uma?$|dois|duas|tres$|quatro$|cinco$|seis$|sete$|oito$|nove$|dez|vinte$|trinta$|cem$|duzent|trezent|mil$)/;

function isNumeral(word: string): boolean {
  return numeral.test(word);
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0);
}

function add(counts: number[], index: number, count = 1): void {
  if (index >= 0) counts[index] = (counts[index] ?? 0) + count;
}
