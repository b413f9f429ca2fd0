import { type Avatar, findAvatar } from '../../db/avatars.ts';
import { findConversation } from '../../db/conversations.ts';
import { type ClaimedTurn, claimTurn, type TurnClaim } from '../../db/turns.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { Failure } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import { globalDataFailure } from '../runtime/global-data-failure.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { readContext, type TurnContext } from './context.ts';
import { type FlowState, readFlowState } from './flow-state.ts';
import type { TurnInput } from './input.ts';
import { type TurnData, turnDataOf } from './turn-data.ts';

/** A turn that has claimed its conversation, with everything that is read before the model is asked. */
export type OpenTurn = Extract<ClaimedTurn, { kind: 'claimed' }> & {
  readonly avatar: Avatar;
  readonly data: TurnData;
  readonly context: TurnContext;
  readonly flowState: FlowState | undefined;
};

export type ClaimResult =
  | OpenTurn
  | Exclude<ClaimedTurn, { kind: 'claimed' }>
  | { readonly kind: 'no-avatar' }
  | { readonly kind: 'too-much-data'; readonly failure: Failure };

/** Finds the avatar, claims the conversation and reads the context, in one transaction. A failure stores nothing. */
export async function openTurn(
  scope: HostScope,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  wanted: TurnClaim,
  findKnowledge: KnowledgeFinder,
): Promise<ClaimResult> {
  const avatar = await findAvatar(scope, job.body.subSlug);
  if (!avatar) return { kind: 'no-avatar' };
  const failure = await findDataFailure(scope, job.body);
  if (failure) return { kind: 'too-much-data', failure };
  const claim = await claimTurn(scope, wanted);
  if (claim.kind !== 'claimed') return claim;
  const data = turnDataOf(claim.conversation, job.body);
  const context = await readContext(scope, job, input, findKnowledge, {
    avatar,
    conversation: claim.conversation,
    data,
  });
  const flowState = await readFlowState(scope, {
    avatarId: avatar.id,
    conversationId: wanted.conversationId,
  });
  return { ...claim, avatar, data, context, flowState };
}

/** Checked before the claim, which stores the question: a conversation keeps no more data than its turns can read. */
async function findDataFailure(
  scope: HostScope,
  { conversationId, globalData }: BodyOf<'reason'>,
): Promise<Failure | undefined> {
  if (!globalData) return undefined;
  const conversation = await findConversation(scope, conversationId);
  return globalDataFailure(globalData, conversation?.globalData);
}
