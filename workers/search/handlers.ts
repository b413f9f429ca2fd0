import type { Logger } from 'pino';
import type { Handlers } from '../runtime/job.ts';
import type { Pools } from '../runtime/pools.ts';
import { makeSearchHealth } from './health.ts';
import { makeQueueSearchEvents } from './queue-events.ts';
import { makeFulltextSearch, makeHybridSearch, makePhoneSearch } from './searches.ts';
import { makeReindex } from './start-reindex.ts';
import { makeSearchStats } from './stats.ts';
import { makeUnifiedSearch } from './unified-search.ts';

export function makeSearchHandlers({ heavy, general }: Pick<Pools, 'heavy' | 'general'>, log: Logger) {
  return {
    searchFulltext: makeFulltextSearch(heavy),
    searchHybrid: makeHybridSearch(heavy),
    searchUnified: makeUnifiedSearch(heavy, log),
    searchPhone: makePhoneSearch(heavy),
    queueSearchEvents: makeQueueSearchEvents(general),
    searchEventsHealth: makeSearchHealth(general),
    searchStats: makeSearchStats(general, heavy),
    reindex: makeReindex(heavy),
    searchHealth: makeSearchHealth(general),
  } satisfies Partial<Handlers>;
}
