import { type Db, isDatabaseUnavailable } from '../db/connection.ts';
import { findSigningSource, type SigningSource } from '../db/crm-sources.ts';
import type { OutageLog } from '../platform/outage-log.ts';
import { failure } from '../queues/contract/failure.ts';
import { RefusalError } from './envelope.ts';

export type SourceFinder = (address: string) => Promise<SigningSource | undefined>;

/** One query for each request, whether the address is known or not: a cache would show which it is. */
export function makeSourceFinder(db: Db, outage: OutageLog): SourceFinder {
  return async address => {
    try {
      return await findSigningSource(db, address);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      outage.noteFailure(error);
      throw new RefusalError(failure('unavailable'));
    }
  };
}
