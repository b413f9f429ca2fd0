import type { Db } from '../../db/connection.ts';
import { abandonTurn } from '../../db/conversations/turns.ts';
import { withHost } from '../../db/with-hosts.ts';
import { Gate } from '../../platform/gate.ts';
import type { KnowledgeFinder } from '../retrieval/find-knowledge.ts';
import type { TaskFailureLog } from '../runtime/outage-logs.ts';
import { CLAIM_LIMITS, type Pools } from '../runtime/pools.ts';
import { makeConversationQueue } from './conversation-queue.ts';
import { makeHeldTurns } from './held-turns.ts';
import type { TurnInput } from './input.ts';
import { type ClaimResult, openTurn } from './open-turn.ts';
import type { TurnJob } from './turn-job.ts';

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
