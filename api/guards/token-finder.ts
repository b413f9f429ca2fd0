import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { hashOf } from '../../db/hosts/token-text.ts';
import { findToken, type Token } from '../../db/hosts/tokens.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { failure } from '../../queues/contract/failure.ts';
import { RefusalError } from '../replies/envelope.ts';
import type { TokenFinder } from './authenticate.ts';

/** Concurrent requests with the same token share one database query. */
export function makeTokenFinder(db: Db, outage: OutageLog): TokenFinder {
  const lookups = new Map<string, Promise<Token | undefined>>();
  return async text => {
    const hash = hashOf(text);
    if (!hash) return undefined;
    const found = lookups.get(text) ?? findToken(db, hash).finally(() => lookups.delete(text));
    lookups.set(text, found);
    return found.catch(error => {
      if (!isDatabaseUnavailable(error)) throw error;
      outage.noteFailure(error);
      throw new RefusalError(failure('unavailable'));
    });
  };
}
