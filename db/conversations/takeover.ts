import type { HostScope } from '../with-hosts.ts';
import { type Conversation, lockConversation } from './conversations.ts';

/*
 * A word of staff that takes a conversation over, whether they wrote in the console or on the phone of the channel, notes itself in
 * the row of the conversation (`staff_seq`), under its lock. A turn reads that row when it is claimed, and again, locked, before its
 * answer is stored: what it was to say is dropped where staff attends now, or has written since. The latter also holds where the
 * conversation was given back meanwhile, because its answer knows nothing of that word.
 */

/** Locks the conversation of a turn whose answer is about to be stored, and says whether staff took it over. */
export async function lockForAnswer(
  scope: HostScope,
  claimed: Pick<Conversation, 'id' | 'staffSeq'>,
): Promise<{ readonly conversation: Conversation; readonly isTakenOver: boolean } | undefined> {
  const conversation = await lockConversation(scope, claimed.id);
  if (!conversation) return undefined;
  const isTakenOver = conversation.attended || conversation.staffSeq !== claimed.staffSeq;
  return { conversation, isTakenOver };
}
