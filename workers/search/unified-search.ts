import { bulkhead } from 'cockatiel';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { MAX_CONCURRENT_SEARCHES, searchTypes } from '../../queues/contract/operations/search.ts';
import type { Handler } from '../runtime/job.ts';
import {
  type ResultPage,
  readFulltextPage,
  readHybridPage,
  readSimilarPage,
  tookMsSince,
} from './searches.ts';

type SearchType = (typeof searchTypes)[number];
type Result = ResultPage['results'][number];

/**
 * Runs two types at a time. A failed type is reported under `errors`; the search fails only when all types fail.
 */
export function makeUnifiedSearch(db: Db, log: Logger): Handler<'searchUnified'> {
  return async ({ caller, body, requestId }) => {
    const startedAt = performance.now();
    const { query, types = searchTypes, options = {} } = body;
    const { hostIds } = caller;
    const pages: Record<SearchType, () => Promise<ResultPage>> = {
      fts: () => readFulltextPage(db, hostIds, { query, ...options.fts }),
      hybrid: () => readHybridPage(db, hostIds, { query, ...options.hybrid }),
      similarity: () => readSimilarPage(db, hostIds, { query, ...options.similarity }),
    };
    // In the order of the list, independent of which search ends first.
    const requested = searchTypes.filter(type => types.includes(type));
    const results: Partial<Record<SearchType, ResultPage>> = {};
    const errors: Record<string, string> = {};
    const failures: unknown[] = [];
    const limit = bulkhead(MAX_CONCURRENT_SEARCHES, Number.POSITIVE_INFINITY);
    const ended = await Promise.allSettled(requested.map(async type => limit.execute(pages[type])));
    for (const [at, end] of ended.entries()) {
      const type = requested[at] as SearchType;
      if (end.status === 'fulfilled') results[type] = end.value;
      else {
        const err: unknown = end.reason;
        log.warn({ err, requestId, type, event: 'search.type_failed' }, 'failed to run one type of a search');
        errors[type] = 'This type of search has failed';
        failures.push(err);
      }
    }
    const answered = Object.values(results);
    if (answered.length === 0) throw failures[0];
    const merged = mergeResults(answered);
    const took_ms = tookMsSince(startedAt);
    return { code: 200, data: { query: String(query), took_ms, results, merged, errors } };
  };
}

/** The order of `matched_by`. */
const WAYS = ['fts', 'trigram', 'phone'] as const;

/** Merges the results of several searches: each record once, with its fused score and its scores of every search. */
function mergeResults(pages: readonly ResultPage[]): Result[] {
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

const SMOOTHING = 60;

/** One item of several lists: its entries, in the order of the lists, and the sum of its reciprocal ranks. */
interface FusedItem<T> {
  readonly found: readonly [T, ...T[]];
  readonly score: number;
}

/** Reciprocal rank fusion: items that rank high in many lists come first. Ties keep their order. */
function mergeByRank<T>(
  lists: readonly (readonly T[])[],
  keyOf: (item: T) => string,
): readonly FusedItem<T>[] {
  const merged = new Map<string, { readonly found: [T, ...T[]]; score: number }>();
  for (const list of lists) {
    for (const [rank, item] of list.entries()) {
      const known = merged.get(keyOf(item));
      const score = 1 / (SMOOTHING + rank + 1);
      if (known) {
        known.found.push(item);
        known.score += score;
      } else merged.set(keyOf(item), { found: [item], score });
    }
  }
  return [...merged.values()].toSorted((a, b) => b.score - a.score);
}
