import { rowsOf } from '../rows-of.ts';
import type { HostScope } from '../with-hosts.ts';
import { type Conversation, findConversation } from './conversations.ts';
import { appendMessage } from './messages.ts';

export interface KnownQuestion {
  readonly conversationId: string;
  readonly turnId: string;
  readonly attempt: number;
  readonly question: string;
  /** What is stored of it as the message of the person. */
  readonly message: string;
  readonly isRehearsal: boolean;
}

/**
 * Stores the question of a running turn that was claimed without one, because it had to be read first. The conversation as it is
 * then; undefined, without a write, where the attempt is outdated.
 */
export async function noteQuestion(
  scope: HostScope,
  { conversationId, turnId, attempt, question, message, isRehearsal }: KnownQuestion,
): Promise<Conversation | undefined> {
  const { tx, hostId } = scope;
  // Before the turn, as a claim does.
  const conversation = await findConversation(scope, conversationId, { forUpdate: true });
  const noted = await rowsOf(tx)`
    update turns set question = ${question}
    where host_id = ${hostId} and id = ${turnId} and attempt = ${attempt} and state = 'running' returning id`;
  if (!conversation || noted.length === 0) return undefined;
  await appendMessage(scope, { conversationId, turnId, author: 'user', content: message, isRehearsal });
  return conversation.closed ? findConversation(scope, conversationId) : conversation;
}
