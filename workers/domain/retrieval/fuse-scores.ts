/*
 * Combines word scores and vector similarity. The word score is a share of a full match, so where the knowledge lacks
 * the query's words, similarity decides. Cosines differ between models, so similarity is scaled between the last and
 * the first neighbour. Its weight is three tenths of a full match: vectors never lift a passage above one whose words
 * fit better by more than that.
 */

export const MEANING = 0.3;

export interface Evidence {
  /** Word score; 0 if words did not find it. */
  readonly words: number;
  /** Vector similarity; undefined for a passage that is not among the nearest. */
  readonly likeness: number | undefined;
}

export interface FusedScore {
  readonly score: number;
  /** 1 for a full match. */
  readonly words: number;
  /** Between 0 for the last of the neighbours and 1 for the first. */
  readonly meaning: number;
}

/** Scores these passages together; `fullMatch` is the word score of a passage with every query word once. */
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
