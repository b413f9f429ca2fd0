import { bulkhead } from 'cockatiel';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { searchTypes } from '../../queues/contract/operations/search.ts';
import { MAX_CONCURRENT_SEARCHES } from '../runtime/heavy-jobs.ts';
import type { Handler } from '../runtime/job.ts';
import { mergeResults, type Page } from './merge-results.ts';
import { tookMsSince } from './result-page.ts';
import { readFulltextPage, readHybridPage, readSimilarPage } from './searches.ts';

type SearchType = (typeof searchTypes)[number];

/**
 * Runs two types at a time. A failed type is reported under `errors`; the search fails only when all types fail.
 */
export function makeUnifiedSearch(db: Db, log: Logger): Handler<'searchUnified'> {
  return async ({ caller, body, requestId }) => {
    const startedAt = performance.now();
    const { query, types = searchTypes, options = {} } = body;
    const { hostIds } = caller;
    const pages: Record<SearchType, () => Promise<Page>> = {
      fts: () => readFulltextPage(db, hostIds, { query, ...options.fts }),
      hybrid: () => readHybridPage(db, hostIds, { query, ...options.hybrid }),
      similarity: () => readSimilarPage(db, hostIds, { query, ...options.similarity }),
    };
    // In the order of the list, independent of which search ends first.
    const requested = searchTypes.filter(type => types.includes(type));
    const results: Partial<Record<SearchType, Page>> = {};
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
