import type { Db } from '../../db/connection.ts';
import { findSession } from '../../db/hosts/sessions.ts';
import { hashOf } from '../../db/hosts/token-text.ts';
import { findToken, type Token } from '../../db/hosts/tokens.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { makeRefuseOutage } from '../replies/refuse-outage.ts';
import type { TokenFinder } from './authenticate.ts';

/** Finds tokens, and sessions of the console. Concurrent requests with the same one share one database query. */
export function makeTokenFinder(db: Db, outage: OutageLog): TokenFinder {
  const lookups = new Map<string, Promise<Token | undefined>>();
  const refuseOutage = makeRefuseOutage(outage);
  return async text => {
    const hash = hashOf(text);
    if (!hash) return undefined;
    const find = text.startsWith('ses_') ? findSession : findToken;
    const found = lookups.get(text) ?? find(db, hash).finally(() => lookups.delete(text));
    lookups.set(text, found);
    return found.catch(refuseOutage);
  };
}
