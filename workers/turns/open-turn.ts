import { type Avatar, findAvatar } from '../../db/avatars.ts';
import { findConversation } from '../../db/conversations.ts';
import { type ClaimedTurn, claimTurn, type TurnClaim } from '../../db/turns.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { globalDataLimits } from '../../queues/contract/operations/fields.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { findGlobalDataFault } from '../domain/global-data.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { readContext, type TurnContext } from './context.ts';
import { type FlowState, readFlowState } from './flow-state.ts';
import { type TurnData, type TurnInput, turnDataOf } from './input.ts';

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
  | { readonly kind: 'too-much-data'; readonly message: string };

/** Finds the avatar, claims the conversation and reads the context, in one transaction. A refusal stores nothing. */
export async function openTurn(
  scope: HostScope,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  wanted: TurnClaim,
  findKnowledge: KnowledgeFinder,
): Promise<ClaimResult> {
  const avatar = await findAvatar(scope, job.body.subSlug);
  if (!avatar) return { kind: 'no-avatar' };
  const message = await findDataFault(scope, job.body);
  if (message !== undefined) return { kind: 'too-much-data', message };
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
async function findDataFault(
  scope: HostScope,
  { conversationId, globalData }: BodyOf<'reason'>,
): Promise<string | undefined> {
  if (!globalData) return undefined;
  const conversation = await findConversation(scope, conversationId);
  return findGlobalDataFault({ ...conversation?.globalData, ...globalData }, globalDataLimits);
}
