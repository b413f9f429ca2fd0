import { foldText } from '../../../text/fold.ts';
import { wordsOf } from '../../../text/words.ts';

/** Beginnings of normalized words, by the name of their topic. */
export type WordGroups = Readonly<Record<string, string>>;

/** Scholarships and other discounts: a topic, and an intent. */
export const DISCOUNT_WORDS = 'bolsa descont fies prouni financiament';

/** Counts the words of each group; groups without a match are left out. The most frequent first. */
export function countGroups(texts: readonly string[], groups: WordGroups): [name: string, count: number][] {
  const words = new Map<string, number>();
  for (const word of texts.flatMap(text => wordsOf(foldText(text)))) {
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  const counts = Object.entries(groups).map(([name, beginnings]): [string, number] => {
    const begins = beginnings.split(' ');
    const own = [...words].filter(([word]) => begins.some(begin => word.startsWith(begin)));
    return [name, own.reduce((sum, [, count]) => sum + count, 0)];
  });
  return counts.filter(([, count]) => count > 0).toSorted(([, left], [, right]) => right - left);
}
