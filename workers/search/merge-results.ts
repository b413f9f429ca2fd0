import { type FusedItem, mergeByRank } from '../domain/search/reciprocal-rank.ts';
import type { findPage } from './result-page.ts';

export type Page = Awaited<ReturnType<typeof findPage>>;
type Result = Page['results'][number];

/** The order of `matched_by`. */
const WAYS = ['fts', 'trigram', 'phone'] as const;

/** Merges the results of several searches: each record once, with its fused score and its scores of every search. */
export function mergeResults(pages: readonly Page[]): Result[] {
  const keyOf = ({ host_id, origin_table, origin_id }: Result) =>
    [host_id, origin_table, origin_id].join(' ');
  const lists = pages.map(({ results }) => results);
  return mergeByRank(lists, keyOf).map(fuseResult).toSorted(byScore);
}

/** A search leaves 0 for a score that it does not compute, so the greatest is the computed one. */
function fuseResult({ found, score }: FusedItem<Result>): Result {
  const greatest = (name: keyof Result['scores']) => Math.max(...found.map(({ scores }) => scores[name]));
  return {
    ...found[0],
    score,
    scores: { fts: greatest('fts'), content: greatest('content'), phone: greatest('phone') },
    matched_by: WAYS.filter(way => found.some(({ matched_by }) => matched_by.includes(way))),
  };
}

function byScore(a: Result, b: Result): number {
  return b.score - a.score || inOrder(b.updated_at, a.updated_at) || inOrder(a.origin_id, b.origin_id);
}

function inOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
