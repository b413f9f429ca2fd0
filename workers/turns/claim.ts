import { findAvatar } from '../../db/assistants/avatars.ts';
import type { Db } from '../../db/connection.ts';
import type { SupersededTurn } from '../../db/conversations/bursts.ts';
import { findConversation, openConversation } from '../../db/conversations/conversations.ts';
import type { TurnClaim } from '../../db/conversations/turn-claim.ts';
import { abandonTurn, claimTurn, type TurnClaimResult } from '../../db/conversations/turns.ts';
import { insertReply } from '../../db/replies.ts';
import { type HostScope, toHostsScope, withHost } from '../../db/with-hosts.ts';
import { Gate } from '../../platform/gate.ts';
import { type Failure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf, OperationName } from '../../queues/contract/operations/index.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import { checkGlobalData } from '../runtime/check-global-data.ts';
import type { TaskFailureLog } from '../runtime/outage-logs.ts';
import { CLAIM_LIMITS, type Pools } from '../runtime/pools.ts';
import { makeConversationQueue } from './conversation-queue.ts';
import { readFlowState } from './flow.ts';
import { makeHeldTurns } from './held-turns.ts';
import { readContext, turnDataOf } from './read.ts';
import { emptyResponse } from './reply.ts';
import { jobIdOf, type OpenTurn, type TurnInput, type TurnJob } from './turn.ts';
import { changedAvatarOf } from './unsaved-changes.ts';

/**
 * Claims the conversation for a turn. The database decides over all processes, in the order of arrival among the turns
 * that it knows, so every turn registers there at once. A waiting turn occupies a job slot of its worker, so the worker
 * takes one more job meanwhile.
 */
export interface TurnClaims {
  /**
   * Runs `work` with the result of the claim; the next turn of this conversation waits until it ends. The signal is
   * aborted when a burst revokes the turn: it is superseded, or must run again.
   */
  withClaim<T>(
    job: TurnJob,
    input: TurnInput,
    work: (result: ClaimResult, revoked: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

/** A dead worker blocks its conversation for this long; the queue gives its job to another worker sooner (`LOCK_MS`). */
export const LEASE_MS = 8_000;
const POLL_EVERY_MS = 150;

interface Background {
  readonly databaseUrl: string;
  readonly signal: AbortSignal;
  readonly onTaskFailed: TaskFailureLog;
}

export function makeTurnClaims(
  { turns: db, leases }: Pick<Pools, 'turns' | 'leases'>,
  findKnowledge: KnowledgeFinder,
  background: Background,
): TurnClaims {
  const queue = makeConversationQueue({ pollMs: POLL_EVERY_MS, refreshMs: LEASE_MS / 2 });
  const gate = new Gate(CLAIM_LIMITS);
  const onTurn = (turnId: string) => queue.wake(turnId);
  const held = makeHeldTurns({ ...background, leases, leaseMs: LEASE_MS, onTurn });

  async function waitForClaim(job: TurnJob, open: () => Promise<ClaimResult>): Promise<ClaimResult> {
    const turn = { ...job, conversationId: job.body.conversationId };
    const abandon = () => abandonUnrun(db, job, background.onTaskFailed);
    if (!queue.hasRoomFor(turn)) {
      await abandon();
      return { kind: 'crowded' };
    }
    const reclaimSlot = job.lendSlot();
    try {
      return await queue.wait(turn, async () => unlessBusy(await open()));
    } catch (error) {
      await abandon();
      throw error;
    } finally {
      reclaimSlot();
    }
  }

  return {
    async withClaim(job, input, work) {
      const { turnId, hostId, body } = job;
      // The knowledge is searched in the claim: it may take a second, so one host must not make all others wait.
      const entry = { key: hostId, signal: job.signal };
      const open = () =>
        claimAfterBurst(job, () => gate.run(entry, () => openTurn(db, job, input, LEASE_MS, findKnowledge)));
      const run = held.begin(turnId);
      try {
        const first = await open();
        const result = first.kind === 'busy' ? await waitForClaim(job, open) : first;
        if (result.kind !== 'claimed') return await work(result, run.revoked);
        run.hold({ hostId, turnId, attempt: result.attempt });
        queue.begin(body.conversationId);
        return await work(result, run.revoked).finally(() => queue.end(body.conversationId));
      } finally {
        run.end();
      }
    },
  };
}

/** Claims again after each change of its burst, and sends the callers of superseded turns their replies. */
async function claimAfterBurst(job: TurnJob, open: () => ReturnType<typeof openTurn>): Promise<ClaimResult> {
  for (;;) {
    const opened = await open();
    if (opened.kind !== 'burst-changed') return opened;
    const others = opened.replies.filter(({ jobId }) => jobId !== job.jobId);
    for (const { jobId, outcome } of others)
      void job.notifyRequesterOf(jobId, outcome).catch(() => undefined);
  }
}

/** Its question stays stored. */
async function abandonUnrun(
  db: Db,
  { hostId, turnId }: TurnJob,
  onTaskFailed: TaskFailureLog,
): Promise<void> {
  await withHost(db, hostId, scope => abandonTurn(scope, { turnId, attempt: 0 })).catch(error =>
    onTaskFailed(error, 'turn.abandon_failed', 'failed to abandon a turn'),
  );
}

function unlessBusy(result: ClaimResult): ClaimResult | undefined {
  return result.kind === 'busy' ? undefined : result;
}

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

export interface SupersededReply {
  readonly jobId: string;
  readonly outcome: Outcome<DataOf<'reason'>>;
}

const OPERATION: OperationName = 'reason';

/**
 * Stores the replies of turns that a newer one supersedes, in the transaction that ends them: whoever has their jobs
 * then, or a retry of their requests, finds the same reply.
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
    jobId: jobIdOf(turn.turnId),
    key: turn.replyKey ?? undefined,
    bodyMac: turn.replyMac ?? undefined,
    // Without dialogue and receipt: those are the newer turn's.
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
