import { type BackendFactory, createPostgresBackend, type IQueueBackend } from 'bullmq';
import { LOCK_MS, type OpenStore } from '../parts.ts';
import { makePostgresCalls } from './calls.ts';
import { makePostgresReplies } from './replies.ts';
import { makePostgresStore, QUERY_TIMEOUT_MS } from './store.ts';

export async function openPostgres(url: string, onError: (error: Error) => void): Promise<OpenStore> {
  const store = await makePostgresStore(url, onError);
  return {
    store,
    // More at once would time out while the store is slow.
    maxConcurrentAdds: 16,
    polling: { firstMs: 50, maxMs: 50 },
    factory: createPostgresBackend as unknown as BackendFactory<IQueueBackend>,
    ...makeConnections(url),
    makeCalls: (backend, queue, now) => makePostgresCalls(backend, { queue, lockMs: LOCK_MS, now }),
    makeEnds: () => makePostgresReplies(url, { find: store.findEnds, onError }),
    keepConnected() {},
  };
}

/** Each queue, worker and listener gets a pool of two: with a shared pool they deadlock when it is exhausted. */
function makeConnections(url: string): Pick<OpenStore, 'producer' | 'consumer'> {
  // - A crash may lose the last commits, which only affects requests in flight, so commits need not wait for the disk.
  // - Every statement finds its rows by an index, whatever the tables hold: a plan made while they were empty is kept, and
  //   would read them whole. Planning takes longer than the work.
  const off = ['synchronous_commit', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];
  const settings = [...off.map(name => `${name}=off`), 'plan_cache_mode=force_generic_plan'];
  const options = settings.map(setting => `-c ${setting}`).join(' ');
  const shared = { connectionString: url, max: 2, options };
  const consumer = { ...shared, connectionTimeoutMillis: 5_000 };
  const producer = { ...shared, connectionTimeoutMillis: QUERY_TIMEOUT_MS, query_timeout: QUERY_TIMEOUT_MS };
  return { producer: { connection: producer }, consumer: { connection: consumer } };
}
