import type { Db } from '../../db/connection.ts';
import { endSession, exchangeSignInLink, findSignInLink, openTokenSession } from '../../db/hosts/sessions.ts';
import { hashOf, makeToken, sessionOf } from '../../db/hosts/token-text.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import { makeRefuseOutage } from '../replies/refuse-outage.ts';
import type { SessionStore } from './sessions.ts';

/** A text without a valid checksum is refused without a query. */
export function makeSessionStore(db: Db, outage: OutageLog, hours: number): SessionStore {
  const refuseOutage = makeRefuseOutage(outage);
  return {
    async open(text, key) {
      const hash = hashOf(text);
      if (!hash) return undefined;
      const isLink = text.startsWith('lnk_');
      const session = isLink && key !== undefined ? sessionOf(text, key) : makeToken('ses');
      const open = isLink ? exchangeSignInLink : openTokenSession;
      const seconds = await open(db, hash, { hash: session.hash, hours }).catch(refuseOutage);
      return seconds === undefined ? undefined : { text: session.text, seconds };
    },
    async find(link) {
      const hash = hashOf(link);
      return hash && findSignInLink(db, hash).catch(refuseOutage);
    },
    async end(text) {
      const hash = hashOf(text);
      if (hash) await endSession(db, hash).catch(refuseOutage);
    },
  };
}
