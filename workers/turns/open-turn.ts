import { type Avatar, findAvatar } from '../../db/avatars.ts';
import { findConversation } from '../../db/conversations.ts';
import { type ClaimedTurn, claimTurn, type TurnClaim } from '../../db/turns.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import { globalDataLimits } from '../../queues/contract/operations/fields.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { globalDataFault } from '../domain/global-data.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { type Known, knownFor } from './known.ts';
import { type Steering, steeringFor } from './steering.ts';
import { type TurnData, turnDataOf } from './turn-data.ts';
import type { TurnInput } from './turn-input.ts';

/** A turn whose conversation is its own, with all there is to know before the model is asked. */
export type OpenTurn = Extract<ClaimedTurn, { kind: 'claimed' }> & {
  readonly avatar: Avatar;
  readonly data: TurnData;
  readonly known: Known;
  readonly steering: Steering | undefined;
};

export type Opening =
  | OpenTurn
  | Exclude<ClaimedTurn, { kind: 'claimed' }>
  | { readonly kind: 'no-avatar' }
  | { readonly kind: 'too-much-data'; readonly message: string };

/** In one transaction: who answers, whether the conversation is ours, what it knows. A refusal leaves nothing behind. */
export async function openTurn(
  scope: HostScope,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  wanted: TurnClaim,
  findKnowledge: KnowledgeFinder,
): Promise<Opening> {
  const avatar = await findAvatar(scope, job.body.subSlug);
  if (!avatar) return { kind: 'no-avatar' };
  const message = await dataFault(scope, job.body);
  if (message !== undefined) return { kind: 'too-much-data', message };
  const claim = await claimTurn(scope, wanted);
  if (claim.kind !== 'claimed') return claim;
  const data = turnDataOf(claim.conversation, job.body);
  const known = await knownFor(scope, job, input, findKnowledge, {
    avatar,
    conversation: claim.conversation,
    data,
  });
  const steering = await steeringFor(scope, {
    avatarId: avatar.id,
    conversationId: wanted.conversationId,
  });
  return { ...claim, avatar, data, known, steering };
}

/** Looked at before the claim, which stores the question: a conversation keeps no more than its turns can read. */
async function dataFault(
  scope: HostScope,
  { conversationId, globalData }: BodyOf<'reason'>,
): Promise<string | undefined> {
  if (!globalData) return undefined;
  const conversation = await findConversation(scope, conversationId);
  return globalDataFault({ ...conversation?.globalData, ...globalData }, globalDataLimits);
}
