import { type Avatar, findAvatar } from '../../db/assistants/avatars.ts';
import type { Db } from '../../db/connection.ts';
import { findConversation, openConversation } from '../../db/conversations/conversations.ts';
import type { TurnClaim } from '../../db/conversations/turn-claim.ts';
import { claimTurn, type TurnClaimResult } from '../../db/conversations/turns.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import type { Failure } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import { checkGlobalData } from '../runtime/check-global-data.ts';
import { readContext, type TurnContext } from './context.ts';
import { type FlowState, readFlowState } from './flow-state.ts';
import { type TurnData, type TurnInput, turnDataOf } from './input.ts';
import { type SupersededReply, storeSupersededReplies } from './superseded-reply.ts';
import type { TurnJob } from './turn-job.ts';
import { changedAvatarOf } from './unsaved-changes.ts';

/** A turn that has claimed its conversation, with everything that is read before the model is asked. */
export type OpenTurn = Extract<TurnClaimResult, { kind: 'claimed' }> & {
  readonly avatar: Avatar;
  readonly data: TurnData;
  readonly context: TurnContext;
  readonly flowState: FlowState | undefined;
};

export type ClaimResult =
  | OpenTurn
  | Exclude<TurnClaimResult, { kind: 'claimed' | 'burst-changed' }>
  | { readonly kind: 'no-avatar' }
  /** Too many turns of the conversation or of the host wait. */
  | { readonly kind: 'crowded' }
  | { readonly kind: 'too-much-data'; readonly failure: Failure };

/** Turns of the burst were ended, maybe this one; their replies are stored. */
export interface BurstChange {
  readonly kind: 'burst-changed';
  readonly replies: readonly SupersededReply[];
}

/** An answer is stored only while there is time to send it: at the deadline the caller gets a failure. */
export const REPLY_MARGIN_MS = 100;

/**
 * Finds the avatar, claims the conversation and reads the context, in one transaction. A failure stores nothing. What it
 * does to other turns of a burst is committed first, so that they end at once: then it has to be called again.
 */
export function openTurn(
  db: Db,
  job: TurnJob,
  input: TurnInput,
  leaseMs: number,
  findKnowledge: KnowledgeFinder,
): Promise<ClaimResult | BurstChange> {
  return withHost(db, job.hostId, async scope => {
    const saved = await findAvatar(scope, job.body.subSlug);
    if (!saved) return { kind: 'no-avatar' };
    const avatar = changedAvatarOf(saved, job.body);
    const failure = await findDataFailure(scope, job.body);
    if (failure) return { kind: 'too-much-data', failure };
    if (job.opensConversation) await openConversation(scope, job.body.conversationId);
    const claim = await claimTurn(scope, claimOf(job, input, leaseMs));
    if (claim.kind === 'burst-changed') {
      const replies = await storeSupersededReplies(scope, job.body.conversationId, claim.superseded);
      return { kind: 'burst-changed', replies };
    }
    if (claim.kind !== 'claimed') return claim;
    const { conversation, openQuestions, attempt } = claim;
    const data = turnDataOf(conversation, job.body);
    const context = await readContext(scope, job, input, findKnowledge, {
      avatar,
      conversation,
      data,
      openQuestions,
      attempt,
    });
    const flowState = await readFlowState(scope, {
      avatarId: avatar.id,
      conversationId: conversation.id,
      unsavedSteps: job.body.reasoningConfig?.changes?.flow?.chainJson,
    });
    return { ...claim, avatar, data, context, flowState };
  });
}

function claimOf(job: TurnJob, { question }: TurnInput, leaseMs: number): TurnClaim {
  const { turnId, arrivedAt, body, idempotencyKey, bodyMac, isRerun } = job;
  return {
    turnId,
    conversationId: body.conversationId,
    arrivedAt,
    remainingMs: () => job.remainingMs() - REPLY_MARGIN_MS,
    question,
    isRehearsal: body.reasoningConfig?.rehearsal ?? false,
    burst: body.reasoningConfig?.burst,
    request: { idempotencyKey, bodyMac },
    leaseMs,
    isNewJob: !isRerun,
  };
}

/** Checked before the claim, which stores the question: a conversation keeps no more data than its turns can read. */
async function findDataFailure(
  scope: HostScope,
  { conversationId, globalData }: BodyOf<'reason'>,
): Promise<Failure | undefined> {
  if (!globalData) return undefined;
  const conversation = await findConversation(scope, conversationId);
  return checkGlobalData(globalData, conversation?.globalData);
}
