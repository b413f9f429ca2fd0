import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { type Arrival, type IntakeRecord, storeArrivals } from '../../db/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';

/*
 * Batches the arrivals of one host: arrivals during a transaction are stored by the next one, so that a rush needs
 * few commits and a single record does not wait. The promise of an arrival resolves when its row is committed.
 */

interface WaitingArrival {
  readonly arrival: Arrival;
  resolve(record: IntakeRecord | undefined): void;
  reject(error: unknown): void;
}

/** Undefined: a replay of a signed message. */
export type ArrivalStore = (hostId: string, arrival: Arrival) => Promise<IntakeRecord | undefined>;

const MAX_BATCH = 50;
const MAX_BATCH_BYTES = 2 ** 21;

export function makeArrivalBatcher(db: Db): ArrivalStore {
  const queues = new Map<string, WaitingArrival[]>();
  const store = (hostId: string, arrivals: readonly Arrival[]) =>
    withHost(db, hostId, scope => storeArrivals(scope, arrivals));

  async function run(hostId: string, queue: WaitingArrival[]): Promise<void> {
    while (queue.length > 0) await storeBatch(hostId, takeFrom(queue));
    queues.delete(hostId);
  }

  async function storeBatch(hostId: string, batch: readonly WaitingArrival[]): Promise<void> {
    try {
      const stored = await store(
        hostId,
        batch.map(({ arrival }) => arrival),
      );
      for (const [at, { resolve }] of batch.entries()) resolve(stored[at]);
    } catch (error) {
      if (batch.length === 1 || isDatabaseUnavailable(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One arrival that cannot be stored must not fail the others.
      for (const each of batch) await storeBatch(hostId, [each]);
    }
  }

  return (hostId, arrival) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(hostId);
      const waiting = { arrival, resolve, reject };
      if (queue) return void queue.push(waiting);
      const started = [waiting];
      queues.set(hostId, started);
      void run(hostId, started);
    });
}

/** A repeated job in the same batch waits for the next one: one upsert cannot affect a row twice. */
function takeFrom(queue: WaitingArrival[]): WaitingArrival[] {
  const jobs = new Set<string>();
  let bytes = 0;
  const end = queue.findIndex(({ arrival: { jobId, body } }) => {
    bytes += JSON.stringify(body).length;
    const isFull = jobs.size === MAX_BATCH || (jobs.size > 0 && bytes > MAX_BATCH_BYTES);
    return isFull || jobs.has(jobId) || !jobs.add(jobId);
  });
  return queue.splice(0, end < 0 ? queue.length : end);
}
