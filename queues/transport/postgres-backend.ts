import { type BackendFactory, createPostgresBackend, type IQueueBackend } from 'bullmq';
import { makeEventEnds } from './event-ends.ts';
import type { OpenStore } from './parts.ts';
import { makePostgresStore, QUERY_TIMEOUT_MS } from './postgres-store.ts';

export async function openPostgres(url: string, onError: (error: Error) => void): Promise<OpenStore> {
  return {
    store: await makePostgresStore(url, onError),
    // More at once would time out waiting for the connections.
    maxConcurrentAdds: 16,
    polling: { firstMs: 50, maxMs: 50 },
    factory: createPostgresBackend as unknown as BackendFactory<IQueueBackend>,
    ...makeConnections(url),
    prepareQueue() {},
    prepareWorker() {},
    makeEnds: (makeEvents, now) => makeEventEnds(makeEvents, now),
    keepConnected() {},
  };
}

/** Each queue, worker and listener gets a pool of two: with a shared pool they deadlock when it is exhausted. */
function makeConnections(url: string): Pick<OpenStore, 'producer' | 'consumer'> {
  // A crash may lose the last commits, which only affects requests in flight, so commits need not wait for the disk.
  const shared = { connectionString: url, max: 2, options: '-c synchronous_commit=off' };
  const consumer = { ...shared, connectionTimeoutMillis: 5_000 };
  const producer = { ...shared, connectionTimeoutMillis: QUERY_TIMEOUT_MS, query_timeout: QUERY_TIMEOUT_MS };
  return { producer: { connection: producer }, consumer: { connection: consumer } };
}
