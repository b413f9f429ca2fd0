import type { Logger } from 'pino';
import type { Handlers } from '../runtime/job.ts';
import type { Pools } from '../runtime/pools.ts';
import { searchHealth } from './health.ts';
import { queueSearchEvents } from './queue-events.ts';
import { makeFulltextSearch, makeHybridSearch, makePhoneSearch } from './searches.ts';
import { startReindex } from './start-reindex.ts';
import { searchStats } from './stats.ts';
import { searchAllTypes } from './unified-search.ts';

export function searchHandlers({ heavy, rest }: Pick<Pools, 'heavy' | 'rest'>, log: Logger) {
  return {
    searchFulltext: makeFulltextSearch(heavy),
    searchHybrid: makeHybridSearch(heavy),
    searchUnified: searchAllTypes(heavy, log),
    searchPhone: makePhoneSearch(heavy),
    queueSearchEvents: queueSearchEvents(rest),
    searchEventsHealth: searchHealth(rest),
    searchStats: searchStats(rest, heavy),
    reindex: startReindex(heavy),
    searchHealth: searchHealth(rest),
  } satisfies Partial<Handlers>;
}
