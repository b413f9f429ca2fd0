import { Registry } from 'prom-client';
import type { Db } from '../../db/connection.ts';
import { deleteMetrics, storeMetrics } from '../../db/process-metrics.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { repeat } from '../../platform/repeat.ts';

const PUBLISH_EVERY_MS = 5_000;

/** Stores metrics in the database for the api to serve: a worker listens on no port. Resolves after the first write. */
export async function publishMetrics(db: Db, process: string, registry: Registry, database: OutageLog) {
  const publish = async () => {
    await storeMetrics(db, process, await registry.getMetricsAsJSON());
    database.noteSuccess();
  };
  await publish().catch(database.noteFailure);
  const closing = new AbortController();
  const publishing = repeat(publish, {
    everyMs: PUBLISH_EVERY_MS,
    signal: closing.signal,
    onError: database.noteFailure,
  });
  return {
    async close() {
      closing.abort();
      await publishing;
      await deleteMetrics(db, process).catch(database.noteFailure);
    },
  };
}
