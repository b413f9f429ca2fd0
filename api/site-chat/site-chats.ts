import { findOpenSiteChat, type OpenSiteChat } from '../../db/assistants/site-chats.ts';
import type { Db } from '../../db/connection.ts';
import { countQuestion, type SiteChatQuestion } from '../../db/conversations/site-chat-counts.ts';
import {
  readVisitorConversation,
  type VisitorConversation,
} from '../../db/conversations/visitor-messages.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { OutageLog } from '../../platform/outage-log.ts';
import type { Seal } from '../../platform/seal.ts';
import { failure } from '../../queues/contract/failure.ts';
import { RefusalError } from '../replies/envelope.ts';
import { makeRefuseOutage } from '../replies/refuse-outage.ts';
import { makeVisitorSeal, type VisitorSeal } from './visitor.ts';

/** The chats of sites, as this process finds and reads them. */
export interface SiteChats {
  readonly visitors: VisitorSeal;
  /** The enabled chat of this key. */
  find(publicKey: string): Promise<OpenSiteChat | undefined>;
  /** Counts the question against the limits of the chat, and refuses one too many, which counts for nobody. */
  count(chat: OpenSiteChat, asked: AskedQuestion): Promise<void>;
  read(chat: OpenSiteChat, conversationId: string, after: string | undefined): Promise<VisitorConversation>;
}

interface AskedQuestion {
  readonly visitorId: string;
  readonly network: string;
  readonly key: string;
}

const NOTHING_SAID: VisitorConversation = { staff: 'none', messages: [] };
const HOUR_S = 3_600;

export function makeSiteChats(db: Db, seal: Seal, outage: OutageLog): SiteChats {
  const refuseOutage = makeRefuseOutage(outage);
  const lookups = new Map<string, Promise<OpenSiteChat | undefined>>();
  const visitors = makeVisitorSeal(seal);
  return {
    visitors,
    /** Concurrent requests share a query; nothing is kept longer, so that a disabled chat is closed at once. */
    find(publicKey) {
      const found =
        lookups.get(publicKey) ?? findOpenSiteChat(db, publicKey).finally(() => lookups.delete(publicKey));
      lookups.set(publicKey, found);
      return found.catch(refuseOutage);
    },
    async count(chat, { visitorId, network, key }) {
      const limits = [
        ['visitor-limit', visitors.nameOf(['visitor', visitorId]), chat.visitorQuestionsPerHour, HOUR_S],
        ['address-limit', visitors.nameOf(['address', network]), chat.addressQuestionsPerHour, HOUR_S],
        ['chat-limit', 'chat', chat.questionsPerDay, 24 * HOUR_S],
      ] as const;
      const question: SiteChatQuestion = {
        chatId: chat.chatId,
        askers: limits.map(([, asker]) => asker),
        seconds: limits.map(([, , , seconds]) => seconds),
        key: visitors.nameOf(['question', visitorId, key]),
      };
      await withHost(db, chat.hostId, async scope => {
        const counts = await countQuestion(scope, question);
        for (const [reason, asker, most] of limits) {
          const counted = counts.find(each => each.asker === asker);
          if (counted && counted.count > most)
            throw new RefusalError(failure(reason, { retryAfter: counted.seconds }));
        }
      }).catch(refuseOutage);
    },
    async read(chat, conversationId, after) {
      const { avatarId, showSources: withSources } = chat;
      const page = { conversationId, avatarId, after, withSources };
      const found = await withHost(db, chat.hostId, scope => readVisitorConversation(scope, page)).catch(
        refuseOutage,
      );
      return found ?? NOTHING_SAID;
    },
  };
}
