import { bulkhead } from 'cockatiel';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { SEARCHES_AT_ONCE } from '../runtime/heavy-jobs.ts';
import type { Handler } from '../runtime/job.ts';
import { mergeResults, type Page } from './merge-results.ts';
import { readFulltextPage, readHybridPage, readSimilarPage } from './searches.ts';

/** The order of the results, independent of which search ends first. */
const TYPES = ['fts', 'hybrid', 'similarity'] as const;
type SearchType = (typeof TYPES)[number];

/**
 * Runs two types at a time. A failed type is reported under `errors`; the search fails only when all types fail.
 */
export function searchAllTypes(db: Db, log: Logger): Handler<'searchUnified'> {
  return async ({ caller, body, requestId }) => {
    const startedAt = performance.now();
    const { query, types = TYPES, options = {} } = body;
    const { hostIds } = caller;
    const pages: Record<SearchType, () => Promise<Page>> = {
      fts: () => readFulltextPage(db, hostIds, { query, ...options.fts }),
      hybrid: () => readHybridPage(db, hostIds, { query, ...options.hybrid }),
      similarity: () => readSimilarPage(db, hostIds, { query, ...options.similarity }),
    };
    const asked = TYPES.filter(type => types.includes(type));
    const results: Partial<Record<SearchType, Page>> = {};
    const errors: Record<string, string> = {};
    const failures: unknown[] = [];
    const limit = bulkhead(SEARCHES_AT_ONCE, Number.POSITIVE_INFINITY);
    const ended = await Promise.allSettled(asked.map(async type => limit.execute(pages[type])));
    for (const [at, end] of ended.entries()) {
      const type = asked[at] as SearchType;
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
    const took_ms = Math.round((performance.now() - startedAt) * 10) / 10;
    return { code: 200, data: { query: String(query), took_ms, results, merged, errors } };
  };
}
