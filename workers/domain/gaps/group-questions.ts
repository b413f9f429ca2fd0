/*
 * Questions are grouped by the words that they share, rare words first: a question joins the group that it is most like,
 * if it is like it enough, and opens a new one otherwise. So a group is as its first question made it, and what was grouped
 * once stays. A word that only one of two questions has is often a wrapping; where each has words of its own, they ask for
 * different things ("a bolsa de Física", "a bolsa de Química"), so those count most.
 *
 * A question is compared with the groups that share one of its rarest words. Those that it could be like share more
 * weight than its common words have together, so the common ones need no look, which nearly all groups may have. Where
 * all its words are common, it is compared with the first of these groups only, and with one of the same words.
 */

export interface GroupedWords {
  readonly id: string;
  readonly words: readonly string[];
}

/** Questions are alike from this likeness on: the weight of what they share, as a part of that and of the weighted rest. */
const ALIKE = 0.65;
const BOTH_DIFFER = 1.5;
const ONE_HAS_MORE = 0.3;
/** An alike group shares at least this part of a question's weight: `likenessOf` solved for a group with no other word. */
const LEAST_SHARED = (ALIKE * ONE_HAS_MORE) / (1 - ALIKE + ALIKE * ONE_HAS_MORE);
/** Weighs words little before enough questions are known to tell which are rare. */
const SMOOTHING = 20;
/** A question is compared with this many groups: at most a tenth of the known ones. */
const MAX_COMPARED = 500;

/** Returns the group of each question, in order. `makeId` names a new one. Yields after each, so that the caller can pause. */
export function* groupQuestions(
  known: readonly GroupedWords[],
  questions: readonly (readonly string[])[],
  makeId: () => string,
): Generator<void, string[]> {
  const index = makeGroupIndex();
  for (const group of known) {
    index.add(group);
    yield;
  }
  const groups: string[] = [];
  for (const words of questions) {
    const nearest = index.findNearest(words);
    const id = nearest ?? makeId();
    if (nearest === undefined) index.add({ id, words });
    groups.push(id);
    yield;
  }
  return groups;
}

interface IndexedWord {
  readonly groups: IndexedGroup[];
}

interface IndexedGroup {
  readonly id: string;
  readonly words: readonly IndexedWord[];
}

function makeGroupIndex() {
  let size = 0;
  const wordOf = new Map<string, IndexedWord>();
  const bySameWords = new Map<string, IndexedGroup>();
  const unknown: IndexedWord = { groups: [] };
  const weightOf = ({ groups }: IndexedWord) => Math.log((size + SMOOTHING) / (groups.length + 1));
  const sumOf = (words: readonly IndexedWord[]) => words.reduce((sum, word) => sum + weightOf(word), 0);

  /** Finds the groups that share a rare word with the question. */
  function findCandidates(words: readonly IndexedWord[]): Set<IndexedGroup> {
    const rarest = words.toSorted((a, b) => a.groups.length - b.groups.length);
    const candidates = new Set<IndexedGroup>();
    let left = sumOf(words);
    const least = left * LEAST_SHARED;
    for (const word of rarest) {
      if (left < least || candidates.size >= MAX_COMPARED) break;
      for (const group of word.groups.slice(0, MAX_COMPARED - candidates.size)) candidates.add(group);
      left -= weightOf(word);
    }
    return candidates;
  }

  return {
    add({ id, words }: GroupedWords): void {
      const indexed = words.map(word => {
        const its = wordOf.get(word) ?? { groups: [] };
        wordOf.set(word, its);
        return its;
      });
      const group = { id, words: indexed };
      for (const { groups } of indexed) groups.push(group);
      const key = keyOf(words);
      if (!bySameWords.has(key)) bySameWords.set(key, group);
      size += 1;
    },
    findNearest(question: readonly string[]): string | undefined {
      const same = bySameWords.get(keyOf(question));
      if (same) return same.id;
      const words = question.map(word => wordOf.get(word) ?? unknown);
      const weights = new Map(words.map(word => [word, weightOf(word)]));
      const own = sumOf(words);
      let best: { readonly id: string; readonly likeness: number } | undefined;
      for (const { id, words: its } of findCandidates(words)) {
        const shared = its.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
        if (shared < own * LEAST_SHARED) continue;
        const likeness = likenessOf(shared, own - shared, sumOf(its) - shared);
        if (likeness >= ALIKE && likeness > (best?.likeness ?? 0)) best = { id, likeness };
      }
      return best?.id;
    },
  };
}

function keyOf(words: readonly string[]): string {
  return words.toSorted().join(' ');
}

function likenessOf(shared: number, own: number, other: number): number {
  const [less, more] = own < other ? [own, other] : [other, own];
  return shared / (shared + BOTH_DIFFER * less + ONE_HAS_MORE * more);
}
