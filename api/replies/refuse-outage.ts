import { isDatabaseUnavailable, isDiskFull } from '../../db/connection.ts';
import { ObjectStoreError } from '../../platform/object-store.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { DISK_FULL, failure } from '../../queues/contract/failure.ts';
import { RefusalError } from './envelope.ts';

/** Handles errors of queries: an outage of the database is logged and refused with 503, any other error is thrown again. */
export function makeRefuseOutage(outage: OutageLog): (error: unknown) => never {
  return error => {
    if (!isDatabaseUnavailable(error)) throw error;
    outage.noteFailure(error);
    throw new RefusalError(failure('unavailable', isDiskFull(error) ? { hint: DISK_FULL } : {}));
  };
}

/** The same for the store of files, which logs its outages itself. */
export function refuseStoreOutage(error: unknown): never {
  throw error instanceof ObjectStoreError ? new RefusalError(failure('files-unavailable')) : error;
}
