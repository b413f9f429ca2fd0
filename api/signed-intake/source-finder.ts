import type { Db } from '../../db/connection.ts';
import { findSigningSource, type SigningSource } from '../../db/intake/crm-sources.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { makeRefuseOutage } from '../replies/refuse-outage.ts';

export type SourceFinder = (address: string) => Promise<SigningSource | undefined>;

/**
 * Concurrent requests for one address share a query, known or not. Nothing is kept longer: that would reveal known addresses, and
 * accept a deleted source.
 */
export function makeSourceFinder(db: Db, outage: OutageLog): SourceFinder {
  const lookups = new Map<string, Promise<SigningSource | undefined>>();
  const refuseOutage = makeRefuseOutage(outage);
  return address => {
    const found =
      lookups.get(address) ?? findSigningSource(db, address).finally(() => lookups.delete(address));
    lookups.set(address, found);
    return found.catch(refuseOutage);
  };
}
