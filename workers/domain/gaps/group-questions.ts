/*
 * Questions are grouped by the words that they share, rare words first: a question joins the group that it is most like,
 * if it is like it enough, and opens a new one otherwise. So a group is as its first question made it, and what was grouped
 * once stays. A word that only one of two questions has is often a wrapping; where each has words of its own, they ask for
 * different things ("a bolsa de Física", "a bolsa de Química"), so those count most.
 */

export interface GroupedWords {
  readonly id: string;
  readonly words: readonly string[];
}

/** By weight, what is shared, of that and what is not. */
const ALIKE = 0.65;
const BOTH_DIFFER = 1.5;
const ONE_HAS_MORE = 0.3;
/** Weighs little before enough questions are known to tell which words are rare. */
const SMOOTHING = 20;

/** The group of each question, in order. `makeId` names a new one. Yields after each, so that the caller can pause. */
export function* groupQuestions(
  known: readonly GroupedWords[],
  questions: readonly (readonly string[])[],
  makeId: () => string,
): Generator<void, string[]> {
  const index = makeGroupIndex(known);
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

function makeGroupIndex(known: readonly GroupedWords[]) {
  const groups: GroupedWords[] = [];
  const byWord = new Map<string, number[]>();
  const add = (group: GroupedWords) => {
    for (const word of group.words) {
      const having = byWord.get(word);
      if (having) having.push(groups.length);
      else byWord.set(word, [groups.length]);
    }
    groups.push(group);
  };
  const weightOf = (word: string) =>
    Math.log((groups.length + SMOOTHING) / ((byWord.get(word)?.length ?? 0) + 1));
  const sumOf = (words: readonly string[]) => words.reduce((sum, word) => sum + weightOf(word), 0);
  known.forEach(add);
  return {
    add,
    findNearest(words: readonly string[]): string | undefined {
      const shared = new Map<number, number>();
      for (const word of words) {
        const weight = weightOf(word);
        for (const at of byWord.get(word) ?? []) shared.set(at, (shared.get(at) ?? 0) + weight);
      }
      const own = sumOf(words);
      let best: { readonly id: string; readonly likeness: number } | undefined;
      for (const [at, weight] of shared) {
        const { id, words: its } = groups[at] as GroupedWords;
        const likeness = likenessOf(weight, own - weight, sumOf(its) - weight);
        if (likeness >= ALIKE && likeness > (best?.likeness ?? 0)) best = { id, likeness };
      }
      return best?.id;
    },
  };
}

function likenessOf(shared: number, own: number, other: number): number {
  const [less, more] = own < other ? [own, other] : [other, own];
  return shared / (shared + BOTH_DIFFER * less + ONE_HAS_MORE * more);
}
