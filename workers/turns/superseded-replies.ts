import { findConversation } from '../../db/conversations/conversations.ts';
import type { SupersededTurn } from '../../db/conversations/turns.ts';
import { insertReply } from '../../db/replies.ts';
import { type HostScope, toHostsScope } from '../../db/with-hosts.ts';
import type { Outcome } from '../../queues/contract/failure.ts';
import type { DataOf, OperationName } from '../../queues/contract/operations/index.ts';
import { emptyResponse } from './reply.ts';
import { jobIdOfTurn } from './turn.ts';

export interface SupersededReply {
  readonly jobId: string;
  readonly outcome: Outcome<DataOf<'reason'>>;
}

const OPERATION: OperationName = 'reason';

/**
 * Stores the replies of turns that a newer one supersedes, in the transaction that ends them: a worker that runs their jobs, or
 * a retry of their requests, finds the same reply.
 */
export async function storeSupersededReplies(
  scope: HostScope,
  conversationId: string,
  superseded: readonly SupersededTurn[],
): Promise<SupersededReply[]> {
  if (superseded.length === 0) return [];
  const conversation = await findConversation(scope, conversationId);
  if (!conversation) throw new Error(`Conversation ${conversationId} of a superseded turn is missing.`);
  const replies = superseded.map(turn => ({
    jobId: jobIdOfTurn(turn.turnId),
    key: turn.replyKey ?? undefined,
    bodyMac: turn.replyMac ?? undefined,
    // The dialogue and the receipt belong to the newer turn, so they are left out.
    outcome: {
      code: 200,
      data: {
        ...emptyResponse(scope.hostId, conversation, turn.question ?? undefined),
        supersededBy: turn.supersededBy,
      },
    } as const,
  }));
  for (const reply of replies)
    await insertReply(toHostsScope(scope), { ...reply, operation: OPERATION, isFinal: true });
  return replies;
}
