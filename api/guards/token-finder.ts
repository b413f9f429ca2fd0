import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { findSession } from '../../db/hosts/sessions.ts';
import { hashOf } from '../../db/hosts/token-text.ts';
import { findToken, type Token } from '../../db/hosts/tokens.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { failure } from '../../queues/contract/failure.ts';
import { RefusalError } from '../replies/envelope.ts';
import type { TokenFinder } from './authenticate.ts';

/** Finds tokens, and sessions of the console. Concurrent requests with the same one share one database query. */
export function makeTokenFinder(db: Db, outage: OutageLog): TokenFinder {
  const lookups = new Map<string, Promise<Token | undefined>>();
  return async text => {
    const hash = hashOf(text);
    if (!hash) return undefined;
    const find = text.startsWith('ses_') ? findSession : findToken;
    const found = lookups.get(text) ?? find(db, hash).finally(() => lookups.delete(text));
    lookups.set(text, found);
    return found.catch(error => {
      if (!isDatabaseUnavailable(error)) throw error;
      outage.noteFailure(error);
      throw new RefusalError(failure('unavailable'));
    });
  };
}
