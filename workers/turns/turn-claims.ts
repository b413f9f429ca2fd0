import { bulkhead } from 'cockatiel';
import type { Db } from '../../db/connection.ts';
import { abandonTurn, type HeldTurn, renewLeases, type TurnClaim } from '../../db/turns.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { repeat } from '../../platform/repeat.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { HandlerJob } from '../runtime/job.ts';
import { MAX_CONCURRENT_CLAIMS, type Pools } from '../runtime/pools.ts';
import { makeConversationQueue } from './conversation-queue.ts';
import type { TurnInput } from './input.ts';
import { type ClaimResult, openTurn } from './open-turn.ts';

/**
 * Claims the conversation for a turn. The database decides over all processes, in the order of arrival among the turns
 * that it knows, so every turn registers there at once. A waiting turn occupies a job slot of its worker, so the worker
 * takes one more job meanwhile.
 */
export interface TurnClaims {
  /** Runs `work` with the result of the claim; the next turn of this conversation waits until it ends. */
  withClaim<T>(
    job: HandlerJob<'reason'>,
    input: TurnInput,
    work: (result: ClaimResult) => Promise<T>,
  ): Promise<T>;
}

/** A dead worker blocks its conversation for this long; the queue gives its job to another worker after about as long. */
const LEASE_MS = 8_000;
const POLL_EVERY_MS = 150;
/** An answer is stored only while there is time to send it: at the deadline the caller gets a failure. */
export const REPLY_MARGIN_MS = 100;

export function makeTurnClaims(
  { turns: db, leases }: Pick<Pools, 'turns' | 'leases'>,
  findKnowledge: KnowledgeFinder,
  { signal, onError }: { readonly signal: AbortSignal; onError(error: unknown): void },
): TurnClaims {
  const queue = makeConversationQueue({ pollMs: POLL_EVERY_MS, refreshMs: LEASE_MS / 2 });
  const limit = bulkhead(MAX_CONCURRENT_CLAIMS, Number.POSITIVE_INFINITY);
  const claimed = new Map<string, HeldTurn>();
  const renew = async () => {
    if (claimed.size > 0) await renewLeases(leases, [...claimed.values()], LEASE_MS);
  };
  void repeat(renew, { everyMs: LEASE_MS / 4, signal, onError });

  async function waitForClaim(
    job: HandlerJob<'reason'>,
    open: () => Promise<ClaimResult>,
  ): Promise<ClaimResult> {
    const { jobId, hostId, arrivedAt, signal, body } = job;
    const turn = { jobId, arrivedAt, signal, conversationId: body.conversationId };
    const takeSlotBack = job.lendSlot();
    try {
      return await queue.wait(turn, async () => {
        const result = await open();
        return result.kind === 'busy' ? undefined : result;
      });
    } catch (error) {
      // The turn is abandoned before it ran; its question stays stored.
      await withHost(db, hostId, scope => abandonTurn(scope, { jobId, attempt: 0 })).catch(onError);
      throw error;
    } finally {
      takeSlotBack();
    }
  }

  return {
    async withClaim(job, input, work) {
      const { jobId, hostId, body } = job;
      const open = () => limit.execute(() => claimConversation(db, job, input, findKnowledge), job.signal);
      const first = await open();
      const result = first.kind === 'busy' ? await waitForClaim(job, open) : first;
      if (result.kind !== 'claimed') return work(result);
      claimed.set(jobId, { hostId, jobId, attempt: result.attempt });
      queue.begin(body.conversationId);
      try {
        return await work(result);
      } finally {
        claimed.delete(jobId);
        queue.end(body.conversationId);
      }
    },
  };
}

function claimConversation(
  db: Db,
  job: HandlerJob<'reason'>,
  input: TurnInput,
  findKnowledge: KnowledgeFinder,
): Promise<ClaimResult> {
  const wanted: TurnClaim = {
    jobId: job.jobId,
    conversationId: job.body.conversationId,
    arrivedAt: job.arrivedAt,
    remainingMs: () => job.remainingMs() - REPLY_MARGIN_MS,
    question: input.question,
    isRehearsal: job.body.reasoningConfig?.rehearsal ?? false,
    leaseMs: LEASE_MS,
  };
  return withHost(db, job.hostId, (scope: HostScope) => openTurn(scope, job, input, wanted, findKnowledge));
}
