import type { Logger } from 'pino';
import type { Handlers } from '../runtime/job.ts';
import type { Pools } from '../runtime/pools.ts';
import { searchHealth } from './health.ts';
import { queueSearchEvents } from './queue-events.ts';
import { makeFulltextSearch, makeHybridSearch, makePhoneSearch } from './searches.ts';
import { startReindex } from './start-reindex.ts';
import { searchStats } from './stats.ts';
import { searchAllTypes } from './unified-search.ts';

export function searchHandlers({ heavy, general }: Pick<Pools, 'heavy' | 'general'>, log: Logger) {
  return {
    searchFulltext: makeFulltextSearch(heavy),
    searchHybrid: makeHybridSearch(heavy),
    searchUnified: searchAllTypes(heavy, log),
    searchPhone: makePhoneSearch(heavy),
    queueSearchEvents: queueSearchEvents(general),
    searchEventsHealth: searchHealth(general),
    searchStats: searchStats(general, heavy),
    reindex: startReindex(heavy),
    searchHealth: searchHealth(general),
  } satisfies Partial<Handlers>;
}
