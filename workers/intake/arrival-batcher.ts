import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { type Arrival, type IntakeRecord, storeArrivals } from '../../db/intake/intake-records.ts';
import { withHost } from '../../db/with-hosts.ts';
import { batchCalls } from '../../platform/batch.ts';

/** Undefined: a replay of a signed message. */
export type ArrivalStore = (hostId: string, arrival: Arrival) => Promise<IntakeRecord | undefined>;

interface ArrivalOfHost {
  readonly hostId: string;
  readonly arrival: Arrival;
}

const MAX_BATCH = 50;
const MAX_BATCH_BYTES = 2 ** 21;

/**
 * Stores the arrivals of one host together, so that a rush needs few commits. The promise of an arrival resolves when its row
 * is committed.
 */
export function makeArrivalBatcher(db: Db): ArrivalStore {
  const lane = {
    keyOf: ({ hostId }: ArrivalOfHost) => hostId,
    async makeCalls(calls: readonly ArrivalOfHost[]) {
      const arrivals = calls.map(({ arrival }) => arrival);
      return withHost(db, calls[0]?.hostId ?? '', scope => storeArrivals(scope, arrivals));
    },
  };
  const storeTogether = batchCalls({ ...lane, startBatch });
  const storeAlone = batchCalls({ ...lane, startBatch: () => () => false });
  return async (hostId, arrival) => {
    try {
      return await storeTogether({ hostId, arrival });
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      // One arrival that cannot be stored must not fail the others.
      return storeAlone({ hostId, arrival });
    }
  };
}

/** A repeated job waits for the next batch: one upsert cannot affect a row twice. */
function startBatch(): (arrival: ArrivalOfHost) => boolean {
  const jobs = new Set<string>();
  let bytes = 0;
  return ({ arrival: { jobId, body } }) => {
    bytes += JSON.stringify(body).length;
    return jobs.size < MAX_BATCH && bytes <= MAX_BATCH_BYTES && jobs.size < jobs.add(jobId).size;
  };
}
