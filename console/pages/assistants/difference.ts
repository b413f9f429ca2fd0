import type { Item } from '../../components/message-item.tsx';
import { listWords } from '../../components/whatsapp-text.tsx';

/** Longer answers are not compared word by word: everything between their equal ends counts as different. */
const MAX_WORDS = 600;

/** For each message, the indexes of the words that the other answer lacks at that place. */
export type Marks = readonly ReadonlySet<number>[];

interface Difference {
  readonly saved: Marks;
  readonly changed: Marks;
  readonly isNone: boolean;
}

/** Compares two answers word by word, in their order. */
export function compareAnswers(saved: readonly Item[], changed: readonly Item[]): Difference {
  const [before, after] = [saved, changed].map(items => items.map(wordsOf));
  const { removed, added } = compareWords(before?.flat() ?? [], after?.flat() ?? []);
  return {
    saved: divide(removed, before ?? []),
    changed: divide(added, after ?? []),
    isNone: JSON.stringify(saved) === JSON.stringify(changed),
  };
}

const wordsOf = ({ type, content }: Item): string[] => (type === 'text' ? listWords(content) : []);

/** Marks every word outside the longest common subsequence. */
function compareWords(before: readonly string[], after: readonly string[]) {
  const [from, endBefore, endAfter] = findMiddle(before, after);
  const [left, right] = [before.slice(from, endBefore), after.slice(from, endAfter)];
  const removed = new Set(left.map((_, at) => from + at));
  const added = new Set(right.map((_, at) => from + at));
  if (left.length > MAX_WORDS || right.length > MAX_WORDS) return { removed, added };
  const lengths = measureCommon(left, right);
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) {
      removed.delete(from + i);
      added.delete(from + j);
      i += 1;
      j += 1;
    } else if ((lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return { removed, added };
}

/** Finds the words between the equal beginning and the equal end. */
function findMiddle(before: readonly string[], after: readonly string[]): [number, number, number] {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < shorter - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return [from, before.length - end, after.length - end];
}

/** For each pair of indexes, how many words are common from there on. */
function measureCommon(left: readonly string[], right: readonly string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () =>
    Array.from({ length: right.length + 1 }, () => 0),
  );
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const [row, below] = [lengths[i], lengths[i + 1]];
      if (!row || !below) continue;
      row[j] = left[i] === right[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return lengths;
}

function divide(places: ReadonlySet<number>, messages: readonly (readonly string[])[]): Marks {
  let from = 0;
  return messages.map(words => {
    const mine = words.flatMap((_, at) => (places.has(from + at) ? [at] : []));
    from += words.length;
    return new Set(mine);
  });
}
