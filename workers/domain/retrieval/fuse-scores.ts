/*
 * Words and meaning in one score. How well the words fit is told as a share of what a passage with every word of the
 * query would have; so where the knowledge does not have the words that were asked for, words count for little, and
 * meaning decides. Cosines are on a scale of their own with every model: what counts is where one stands between the last
 * and the first of the neighbours. Its whole weight is three tenths of a full match: whatever the vectors say, a
 * passage never gets before one whose words fit better by more than that.
 */

export const MEANING = 0.3;

export interface Evidence {
  /** How well its words fit; 0 where it was not found by them. */
  readonly words: number;
  /** How like its vector is to that of the query; undefined where it is none of the nearest. */
  readonly likeness: number | undefined;
}

export interface FusedScore {
  readonly score: number;
  /** 1 for a full match. */
  readonly words: number;
  /** Between 0 for the last of the neighbours and 1 for the first. */
  readonly meaning: number;
}

/** The scores of these passages together; `fullMatch` is what one with every word once would have for its words. */
export function fuseScores(passages: readonly Evidence[], fullMatch: number): FusedScore[] {
  const most = passages.reduce((most, { words }) => Math.max(most, words), fullMatch) || 1;
  const near = passages.flatMap(({ likeness }) => likeness ?? []);
  const last = Math.min(...near);
  const span = Math.max(...near) - last;
  return passages.map(({ words: fit, likeness }) => {
    const words = fit / most;
    const meaning = likeness === undefined ? 0 : span > 0 ? (likeness - last) / span : 1;
    return { score: words + MEANING * meaning, words, meaning };
  });
}
