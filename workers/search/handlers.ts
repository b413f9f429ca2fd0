import type { Logger } from 'pino';
import type { Db } from '../../db/connection.ts';
import type { Handlers } from '../runtime/job.ts';
import { searchHealth } from './health.ts';
import { queueSearchEvents } from './queue-events.ts';
import { makeFulltextSearch, makeHybridSearch, makePhoneSearch } from './searches.ts';
import { startReindex } from './start-reindex.ts';
import { searchStats } from './stats.ts';
import { searchAllTypes } from './unified-search.ts';

export function searchHandlers(db: Db, log: Logger) {
  return {
    searchFulltext: makeFulltextSearch(db),
    searchHybrid: makeHybridSearch(db),
    searchUnified: searchAllTypes(db, log),
    searchPhone: makePhoneSearch(db),
    queueSearchEvents: queueSearchEvents(db),
    searchEventsHealth: searchHealth(db),
    searchStats: searchStats(db),
    reindex: startReindex(db),
    searchHealth: searchHealth(db),
  } satisfies Partial<Handlers>;
}
