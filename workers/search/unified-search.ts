import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import { mergedByRank } from '../domain/reciprocal-rank.ts';
import type { Handler } from '../job.ts';
import { fulltextPage, hybridPage, similarPage } from './searches.ts';

type Page = Awaited<ReturnType<typeof fulltextPage>>;

/** All types at once; one that fails is named, and the others answer. Where all fail, so does the search. */
export function unifiedSearch(db: Db, log: Logger): Handler<'searchUnified'> {
  return async ({ caller, body, requestId }) => {
    const startedAt = performance.now();
    const { query, types = ['fts', 'hybrid', 'similarity'], options = {} } = body;
    const { hostIds } = caller;
    const pages = {
      fts: () => fulltextPage(db, hostIds, { query, ...options.fts }),
      hybrid: () => hybridPage(db, hostIds, { query, ...options.hybrid }),
      similarity: () => similarPage(db, hostIds, { query, ...options.similarity }),
    };
    const results: { fts?: Page; hybrid?: Page; similarity?: Page } = {};
    const errors: Record<string, string> = {};
    let failure: unknown;
    const searches = [...new Set(types)].map(async type => {
      try {
        results[type] = await pages[type]();
      } catch (err) {
        log.warn({ err, requestId, type }, 'one type of a search has failed');
        errors[type] = 'This type of search has failed';
        failure = err;
      }
    });
    await Promise.all(searches);
    const lists = Object.values(results).map((page: Page) => page.results);
    if (lists.length === 0) throw failure;
    const merged = mergedByRank(lists, ({ host_id, origin_table, origin_id }) =>
      [host_id, origin_table, origin_id].join(' '),
    );
    const took_ms = Math.round((performance.now() - startedAt) * 10) / 10;
    return { code: 200, data: { query: String(query), took_ms, results, merged, errors } };
  };
}
