import { type Db, isDatabaseUnavailable } from '../../db/connection.ts';
import { exchangeSignInLink } from '../../db/hosts/sign-in-links.ts';
import { hashOf, makeToken } from '../../db/hosts/token-text.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { failure } from '../../queues/contract/failure.ts';
import { RefusalError } from '../replies/envelope.ts';
import type { LinkExchange } from './sign-in.ts';

/** A text without a valid checksum is refused without a query. */
export function makeLinkExchange(db: Db, outage: OutageLog): LinkExchange {
  return async text => {
    const link = hashOf(text);
    if (!link) return undefined;
    const token = makeToken();
    try {
      const signedIn = await exchangeSignInLink(db, link, token.hash);
      return signedIn && { token: token.text, ...signedIn };
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      outage.noteFailure(error);
      throw new RefusalError(failure('unavailable'));
    }
  };
}
