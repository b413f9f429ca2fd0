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
  readonly sentences: readonly (TermCounts & {
    readonly kinds: Sentence['kinds'];
    readonly isCounted: boolean;
  })[];
}

export function countPassageTerms(sentences: readonly Sentence[], query: QueryIndex): PassageCounts {
  const stems = zeros(query.stemWeights.length);
  const grams = zeros(query.gramWeights.length);
  const pairs = zeros(query.pairWeights.length);
  let gramCount = 0;
  let before = -1;
  const read = sentences.map(({ words, kinds }) => {
    const counts = zeros(stems.length);
    let isCounted = false;
    let last = '';
    for (const word of words) {
      const hit = query.hitOf(word);
      gramCount += hit.gramCount;
      for (const gram of hit.grams) add(grams, gram);
      add(stems, hit.stem);
      add(counts, hit.stem);
      if (before >= 0 && hit.stem >= 0) add(pairs, query.pairOf(before, hit.stem) ?? -1);
      before = hit.stem;
      if (hit.stem >= 0 && hit.stem === query.counted && isNumeral(last)) isCounted = true;
      last = word;
    }
    return { counts, size: words.length, kinds, isCounted };
  });
  const size = read.reduce((sum, sentence) => sum + sentence.size, 0);
  return {
    stems: { counts: stems, size },
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

function add(counts: number[], index: number): void {
  if (index >= 0) counts[index] = (counts[index] ?? 0) + 1;
}
